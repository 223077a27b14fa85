#!/bin/sh
# One bot of BS, many ways to behave: `sh bs_bad.sh KIND`.
# Without a special way it lays the first card of its hand and never calls.
kind=$1

lay() { echo "$first"; }
call() { echo PASS; }

case $kind in
# Ends.
exit-0) exit 0 ;;
exit-3) exit 3 ;;
crash) lay() { kill -SEGV $$; } ;;
answer-then-exit) call() { echo PASS; exit 0; } ;;
last-words) call() { printf PASS; exit 0; } ;;
third-game) ends=3 ;;

# Says nothing, or nothing whole.
silent) call() { :; } ;;
never-reads) exec sleep 1000 ;;
closes) call() { exec >&-; exec sleep 1000; } ;;
half-line) call() { printf PASS; } ;;
# awk keeps what it prints until a block is full.
block-buffered) exec awk '{ print "PASS" }' ;;

# Says it oddly.
crlf) lay() { printf '%s\r\n' "$first"; }; call() { printf 'PASS\r\n'; } ;;
blanks) lay() { printf ' \t %s\t \n' "$first"; }; call() { printf '\t PASS  \n'; } ;;
ahead) call() { echo PASS; echo PASS; } ;;

# Says what is no answer.
empty) lay() { echo; } ;;
empty-call) call() { echo; } ;;
chatter) call() { echo "let me think"; echo PASS; } ;;
wrong-case) call() { echo pass; } ;;
extra-words) call() { echo "PASS please"; } ;;
words) lay() { echo "all of them"; } ;;
rank-13) lay() { echo 13; } ;;
negative) lay() { echo -1; } ;;
bytes) call() { printf '\377\033[2JPASS\n'; } ;;
nul) call() { printf 'PASS\000\n'; } ;;
not-held) lay() { echo "$missing"; } ;;
too-many) lay() { echo "$first $first $first $first $first"; } ;;

# Says too much.
endless-line) call() { while :; do printf 'aaaaaaaaaaaaaaaa' || exit; done; } ;;
endless-lines) call() { while :; do echo PASS || exit; done; } ;;
long-line) call() { head -c 70000 /dev/zero | tr '\0' a; echo; } ;;
stderr) call() { head -c 300000 /dev/zero | tr '\0' e >&2; echo PASS; } ;;

# Does too much.
forks) (sleep 1000) & (trap '' TERM HUP; sleep 1000) & setsid sleep 1000 & ;;
ignores-term) trap '' TERM INT HUP ;;
esac

# Only the first hand counts what is missing; every game deals anew.
games=0
first=
hand=
while read -r word rest; do
	case $word in
	START)
		games=$((games + 1))
		[ "$games" = "${ends:-0}" ] && exit 7
		;;
	HAND)
		hand=$rest
		for missing in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
			case " $rest " in *" $missing "*) ;; *) break ;; esac
		done
		;;
	TAKE) hand="$hand $rest" ;;
	GIVE)
		kept=
		for card in $hand; do
			if [ "$card" = "$rest" ]; then rest=; else kept="$kept $card"; fi
		done
		hand=${kept# }
		;;
	PLAY)
		first=${hand%% *}
		lay
		hand=${hand#"$first"}
		hand=${hand# }
		;;
	CLAIM) call ;;
	esac
done
