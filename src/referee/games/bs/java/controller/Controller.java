package controller;

import java.util.List;
import java.util.Random;

/** What all may know of a game: the players in the order of their turns, and the size of the pile. */
public final class Controller {
    /** Chance for players who want it, different in each game and the same when it is played again. */
    public final Random rnd;

    private final List<Player> players;
    private int pile;

    Controller(List<Player> players, Random rnd) {
        this.players = players;
        this.rnd = rnd;
    }

    /** How many cards lie on the discard pile. */
    public int getDiscardPileSize() {
        return pile;
    }

    /** The players in the order of their turns. The list cannot be changed. */
    public List<Player> getPlayers() {
        return players;
    }

    void setDiscardPileSize(int cards) {
        pile = cards;
    }

    @Override
    public String toString() {
        return "Controller";
    }
}
