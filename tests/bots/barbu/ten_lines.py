# A bot of Barbu: follows suit as low as it can, leads no heart while it has another card.
import sys
hand, trick = [], []
for line in sys.stdin:
    word = line.split()
    if word[0] == "PLAYER": hand = next(sys.stdin).split()
    elif word[0] == "TRICK": trick = []
    elif word[0] == "DOUBLE": print(flush=True)
    elif word[0].isdigit() and word[1] != "DOUBLE": trick.append(word[1])
    elif word[0] == "PLAY":
        fits = [card for card in hand if trick and card[1] == trick[0][1]] or hand
        card = min(fits, key=lambda card: (card[1] == "h", "23456789tjqka".index(card[0])))
        print(hand.pop(hand.index(card)), flush=True)
