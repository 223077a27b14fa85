# A bot of BS: lays what is due, or its first card; calls what its own hand shows to be a lie.
import sys
hand = []
for word, *rest in map(str.split, sys.stdin):
    if word == "HAND": hand = rest
    elif word == "TAKE": hand += rest
    elif word == "GIVE": hand.remove(rest[0])
    elif word == "PLAY":
        cards = [card for card in hand if card == rest[0]] or hand[:1]
        for card in cards: hand.remove(card)
        print(*cards, flush=True)
    elif word == "CLAIM":
        lie = hand.count(rest[1]) + int(rest[2]) > 4
        print("BS" if lie else "PASS", flush=True)
