"""A bot of Barbu (new protocol) that plays any card that may be played, and misbehaves in one way.

    barbu_bad.py WAY
"""
import os
import signal
import subprocess
import sys
import time

WAY = sys.argv[1]
OUT = sys.stdout.buffer


def say(text, end=b"\n"):
    OUT.write(text.encode() if isinstance(text, str) else text)
    OUT.write(end)
    OUT.flush()


def legal(hand, trick, game):
    same = [card for card in hand if trick and card[1] == trick[0][1]]
    plain = [card for card in hand if card[1] != "h"]
    return same or (plain if game == "HEARTS" and not trick and plain else hand)


def misbehave(card, hand, trick):
    """Answers with something else than the card, and gives what it played; none when this is not
    the moment."""
    other = [held for held in hand if trick and held[1] != trick[0][1]]
    everything = [rank + suit for suit in "cdhs" for rank in "23456789tjqka"]
    if WAY == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(60)
    elif WAY == "exits-in-play":
        sys.exit(5)
    elif WAY == "silent":
        time.sleep(600)
    elif WAY == "half":
        say(card[0], b"")
        time.sleep(600)
    elif WAY == "closes":
        os.close(1)
        time.sleep(600)
    elif WAY == "endless-line":
        while True:
            say("x" * 4096, b"")
    elif WAY == "endless-lines":
        while True:
            say("junk")
    elif WAY == "say":
        say("SAY my turn")
    elif WAY == "garbage":
        say(b"\xff\x00\x1b[2J" + card.encode())
    elif WAY == "empty":
        say("")
    elif WAY == "several":
        say(card + " " + card)
    elif WAY == "upper":
        say(card.upper())
    elif WAY == "not-held":
        say(next(held for held in everything if held not in hand))
    elif WAY == "revokes" and legal(hand, trick, "") != hand and other:
        say(other[0])
        return other[0]
    else:
        return None
    return card


def harmless(card):
    """Answers with the card, in an unusual way."""
    if WAY == "crlf":
        say(card, b"\r\n")
    elif WAY == "blanks":
        say(" \t " + card + "  \t")
    elif WAY == "stderr":
        sys.stderr.write("noise\n" * 100_000)
        say(card)
    elif WAY == "answers-then-exits":
        say(card)
        sys.exit(0)
    elif WAY == "no-end-of-line":
        say(card, b"")
        sys.exit(0)
    else:
        say(card)


def main():
    if WAY == "exits-0":
        sys.exit(0)
    if WAY == "exits-3":
        sys.exit(3)
    if WAY == "never-reads":
        time.sleep(600)
    if WAY == "memory":
        print(len(bytearray(1 << 33)))
    if WAY == "ignores-term":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
    if WAY == "forks":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    hand, trick, game = [], [], ""
    for line in iter(sys.stdin.readline, ""):
        words = line.split()
        if words[0] == "PLAYER":
            hand, game = sys.stdin.readline().split(), sys.stdin.readline().split()[0]
            if WAY == "ahead":
                say("")
        elif words[0] == "TRICK":
            trick = []
        elif words[0] == "DOUBLE":
            if WAY == "doubles":
                say(f" 1 7 0 0  {'9' * 30} x -1 ")
            elif WAY != "ahead":
                say(" ")
        elif words[0].isdigit() and words[1] != "DOUBLE":
            trick.append(words[1])
        elif words[0] == "PLAY":
            card = legal(hand, trick, game)[0]
            played = misbehave(card, hand, trick)
            if played is None:
                harmless(card)
            hand.remove(played or card)
    while WAY in ("ignores-term", "spins"):
        time.sleep(0.1)


main()
