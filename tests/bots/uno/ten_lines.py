# A bot of Uno: pays what it owes, discards what fits, else buys a card.
import sys
hand, table, suit, debt, me = [], "", "", 0, ""
for word, *rest in map(str.split, sys.stdin):
    if word == "YOU": me = rest[0]
    elif word == "HAND": hand = rest[1:-1]
    elif word in ("BUY", "INVALID"): debt = 0
    elif word in ("TABLE", "DISCARD"):
        table, suit, debt = rest[0], rest[-1][-1], {"V": 2, "C": 4}.get(rest[0][0], 0)
    elif [word, *rest] == ["TURN", me]:
        fits = [card for card in hand if card[0] in "AC" + table[0] or card[-1] == suit]
        if debt or not fits: print("BUY", debt or 1, flush=True)
        else: table = fits[0]; suit = table[-1]; hand.remove(table); print("DISCARD", table, flush=True)
        debt = 0
    elif not rest: hand.append(word)
