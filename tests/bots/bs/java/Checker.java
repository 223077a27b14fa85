package players;

import controller.*;
import java.util.ArrayList;
import java.util.List;

/** Plays honestly, and throws as soon as something is not as players may rely on. */
public class Checker extends Player {
    private static int objects = 0;
    private final List<Card> known = new ArrayList<>();
    private boolean initialized = false;

    public Checker() {
        objects++;
        System.out.println("what a player prints is no answer: " + objects);
    }

    private static void must(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    private void check(Controller controller) {
        must(initialized, "initialize comes first");
        Card[] hand = getHand();
        must(hand.length == handSize(), "the size of the own hand");
        must(hand != getHand(), "the hand is a copy");
        int same = 0;
        for (Card card : hand) {
            for (Card other : known) {
                same += card == other ? 1 : 0;
            }
        }
        must(same >= known.size() - 1, "cards that stay are the same objects, but for one given");
        List<Player> players = controller.getPlayers();
        must(players.size() == 4 && players.contains(this), "four players, one of them this");
        int cards = controller.getDiscardPileSize();
        for (Player player : players) {
            cards += player.handSize();
        }
        must(cards == 52, "52 cards in hands and pile, not " + cards);
        must(!controller.toString().matches(".*[0-9].*"), "no cards in the controller's text");
    }

    private void remember() {
        known.clear();
        for (Card card : getHand()) {
            known.add(card);
        }
    }

    @Override
    protected List<Card> requestCards(int card, Controller controller) {
        check(controller);
        List<Card> cards = new ArrayList<>();
        for (Card held : getHand()) {
            if (held.getNumber() == card) {
                cards.add(held);
            }
        }
        if (cards.isEmpty()) {
            cards.add(getHand()[0]);
        }
        // A card named twice is laid once.
        cards.add(cards.get(0));
        remember();
        known.removeAll(cards);
        return cards;
    }

    @Override
    protected boolean bs(Player player, int card, int numberOfCards, Controller controller) {
        check(controller);
        must(player != this && controller.getPlayers().contains(player), "another player moves");
        must(controller.getDiscardPileSize() >= numberOfCards, "the cards lie on the pile");
        remember();
        return player.handSize() == 0;
    }

    @Override
    protected void update(Controller controller) {
        check(controller);
        remember();
    }

    @Override
    protected void initialize(Controller controller) {
        must(!initialized && getHand().length == 13, "a new object each game, with 13 cards");
        initialized = true;
        check(controller);
        remember();
        try {
            must(System.in.read() == -1, "a player cannot read what is the referee's");
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
    }
}
