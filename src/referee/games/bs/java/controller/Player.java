package controller;

import java.util.ArrayList;
import java.util.List;

/** What a player extends. A new object of its class plays each game. */
public abstract class Player {
    final List<Card> hand = new ArrayList<>();

    /** The cards to lay when the rank {@code card} is due: at least one, all out of the hand. */
    protected abstract List<Card> requestCards(int card, Controller controller);

    /** Whether to call what {@code player} claims: {@code numberOfCards} of rank {@code card}. */
    protected abstract boolean bs(Player player, int card, int numberOfCards, Controller controller);

    /** Called at the end of every round. */
    protected void update(Controller controller) {
    }

    /** Called once a game, when the cards are dealt. */
    protected void initialize(Controller controller) {
    }

    /** The own cards. The array is a copy. */
    protected Card[] getHand() {
        return hand.toArray(new Card[0]);
    }

    /** How many cards this player holds; public for all players. */
    public int handSize() {
        return hand.size();
    }

    @Override
    public String toString() {
        return getClass().getName();
    }
}
