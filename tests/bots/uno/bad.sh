#!/bin/sh
# One bot of Uno, many ways to behave: `sh bad.sh KIND [FILE]`.
# Without a special way it buys what it owes, or one card.
kind=$1
file=$2
debt=1

answer() { echo "BUY $debt"; }

case $kind in
# Ends.
exit-0) exit 0 ;;
exit-3) exit 3 ;;
crash) answer() { kill -SEGV $$; } ;;
answer-then-exit) answer() { echo "BUY $debt"; exit 0; } ;;
last-words) answer() { printf 'BUY %s' "$debt"; exit 0; } ;;

# Says nothing, or nothing whole.
silent) answer() { :; } ;;
never-reads) exec sleep 1000 ;;
closes) answer() { exec >&-; exec sleep 1000; } ;;
half-line) answer() { printf 'BUY %s' "$debt"; } ;;
wrong-case) answer() { echo "buy $debt"; } ;;
# awk keeps what it prints until a block is full.
block-buffered) exec awk '{ print "BUY 1" }' ;;

# Says it oddly.
crlf) answer() { printf 'BUY %s\r\n' "$debt"; } ;;
blanks) answer() { printf ' \t BUY\t  %s  \t\n' "$debt"; } ;;
chatter) answer() { printf 'well\n\n  \nbuy\nSAY hello  there\nBUY %s\nthat is all\n' "$debt"; } ;;
bytes) answer() { printf '\377\376\000\001\033[2J\nSAY \033[31m\000red\377\nBUY %s\n' "$debt"; } ;;
bom) printf '\357\273\277'; answer() { echo "BUY $debt"; } ;;
prompt) answer() { printf '> BUY %s\n' "$debt"; } ;;
nbsp) answer() { printf 'BUY\302\240%s\n' "$debt"; } ;;
colour) answer() { printf '\033[31mBUY %s\033[0m\n' "$debt"; } ;;
bare-cr) answer() { printf 'BUY %s\r' "$debt"; } ;;
talks) answer() { printf 'hm\nhello\n\n'; } ;;
raises) answer() { echo 'Traceback (most recent call last):' >&2; echo "NameError: name 'x'" >&2; exit 1; } ;;
bad-card) answer() { printf 'DISCARD \377\342\231\n'; } ;;
empty) answer() { printf '\n\nBUY %s\n' "$debt"; } ;;
ahead) while :; do echo "BUY 1" || exit; done ;;

# Says too much.
endless-line) answer() { while :; do printf 'aaaaaaaaaaaaaaaa' || exit; done; } ;;
endless-lines) answer() { while :; do echo "a" || exit; done; } ;;
endless-say) answer() { while :; do echo "SAY a" || exit; done; } ;;
long-line) answer() { head -c 70000 /dev/zero | tr '\0' a; echo; } ;;
stderr) answer() { head -c 300000 /dev/zero | tr '\0' e >&2; echo >&2; echo "last words" >&2; echo "BUY $debt"; } ;;

# Does too much.
forks) (sleep 1000) & (trap '' TERM HUP; sleep 1000) & setsid sleep 1000 & ;;
leaves) (setsid sh -c 'setsid sleep 1000 & sleep 1000' &) ; exit 0 ;;
ignores-term) trap '' TERM INT HUP; answer() { echo "BUY $debt"; } ;;
memory) answer() { x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done; } ;;
writes) answer() { head -c 5000 /dev/zero >>"$file"; echo "BUY $debt"; } ;;
slow-start) sleep 1.5 ;;
slow-answer) answer() { sleep 0.3; echo "BUY $debt"; } ;;

# Plays what it may not.
not-held) answer() { if [ "$debt" -gt 1 ]; then echo "BUY $debt"; else echo "DISCARD $missing"; fi; } ;;
unpaid) answer() { echo "BUY 1"; } ;;
buys) answer() { if [ "$debt" -gt 1 ]; then echo "BUY $debt"; else echo "BUY $file"; fi; } ;;
esac

while read -r word rest; do
	case $word in
	YOU) me=$rest ;;
	HAND)
		# A card that is not in the hand: one of these four.
		for missing in 2♥ 3♥ 4♥ 5♥ 6♥ 7♥ 8♥ 9♥; do
			case $rest in *" $missing "*) ;; *) break ;; esac
		done
		;;
	TURN) if [ "$rest" = "$me" ]; then answer; debt=1; fi ;;
	DISCARD) case $rest in V*) debt=2 ;; C*) debt=4 ;; *) debt=1 ;; esac ;;
	BUY | INVALID) debt=1 ;;
	esac
done
