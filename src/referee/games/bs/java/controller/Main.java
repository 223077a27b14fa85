package controller;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Speaks BS/1 for a player: one class, whose name is the argument. */
public final class Main {
    /** The most letters of a message that the referee is told. */
    private static final int SHOWN = 300;

    private final Class<?> type;
    private final PrintStream out;
    private final List<Player> players = new ArrayList<>();
    private Player player;
    private Controller controller;

    private Main(Class<?> type, PrintStream out) {
        this.type = type;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream out = System.out;
        // Both streams are the referee's. A player that prints or reads must not come between.
        System.setOut(System.err);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        Main main = new Main(Class.forName(arguments[0]), out);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                main.hear(line);
            } catch (Fault fault) {
                main.giveUp(fault.getMessage(), fault.getCause());
            } catch (Throwable thrown) {
                main.giveUp("the player threw " + thrown, thrown);
            }
        }
        System.exit(0);
    }

    /** What a player did that ends the game for it. */
    private static final class Fault extends Exception {
        private static final long serialVersionUID = 1L;

        Fault(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Another player: its size is known and nothing else. */
    private static final class Other extends Player {
        private final int seat;
        private int size;

        Other(int seat) {
            this.seat = seat;
        }

        @Override
        protected List<Card> requestCards(int card, Controller controller) {
            throw new UnsupportedOperationException("only the referee may ask another player");
        }

        @Override
        protected boolean bs(Player player, int card, int numberOfCards, Controller controller) {
            throw new UnsupportedOperationException("only the referee may ask another player");
        }

        @Override
        public int handSize() {
            return size;
        }

        @Override
        public String toString() {
            return "seat " + seat;
        }
    }

    private void hear(String line) throws Fault {
        String[] words = line.trim().split("\\s+");
        switch (words[0]) {
            case "START":
                start(number(words, 1), number(words, 2));
                break;
            case "HAND":
                controller.rnd.setSeed(31L * line.hashCode() + players.indexOf(player));
                take(words);
                // As many are dealt to each.
                for (Player other : players) {
                    if (other instanceof Other) {
                        ((Other) other).size = words.length - 1;
                    }
                }
                player.initialize(controller);
                break;
            case "PLAY":
                table(words);
                lay(player.requestCards(number(words, 1), controller));
                break;
            case "CLAIM":
                table(words);
                Player mover = players.get(number(words, 1));
                boolean calls = player.bs(mover, number(words, 2), number(words, 3), controller);
                answer(calls ? "BS" : "PASS");
                break;
            case "TAKE":
                take(words);
                break;
            case "GIVE":
                give(number(words, 1));
                break;
            case "STATE":
                table(words);
                break;
            case "ROUND":
                table(words);
                player.update(controller);
                break;
            default:
                // END, and whatever a later referee may add.
                break;
        }
    }

    private void start(int seat, int seats) throws Fault {
        try {
            java.lang.reflect.Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            player = (Player) constructor.newInstance();
        } catch (java.lang.reflect.InvocationTargetException thrown) {
            Throwable cause = thrown.getCause();
            throw new Fault("the player's constructor threw " + cause, cause);
        } catch (ReflectiveOperationException | ClassCastException thrown) {
            throw new Fault("the player has no constructor without arguments: " + thrown, thrown);
        }
        players.clear();
        for (int other = 0; other < seats; other++) {
            players.add(other == seat ? player : new Other(other));
        }
        List<Player> view = Collections.unmodifiableList(new ArrayList<>(players));
        controller = new Controller(view, new Random());
    }

    /** Lays the cards: each of them once, however often it was named. */
    private void lay(List<Card> cards) throws Fault {
        if (cards == null) {
            throw new Fault("requestCards returned null", null);
        }
        Set<Card> laid = new HashSet<>();
        StringBuilder ranks = new StringBuilder();
        for (Card card : cards) {
            if (card == null) {
                throw new Fault("requestCards returned a card that is null", null);
            }
            if (!laid.add(card)) {
                continue;
            }
            if (!remove(card)) {
                throw new Fault(
                        "requestCards returned a card of rank " + card
                                + " that is not in the hand", null);
            }
            ranks.append(ranks.length() == 0 ? "" : " ").append(card.getNumber());
        }
        if (laid.isEmpty()) {
            System.err.println("requestCards returned no card");
        }
        answer(ranks.toString());
    }

    private boolean remove(Card card) {
        for (Iterator<Card> held = player.hand.iterator(); held.hasNext();) {
            if (held.next() == card) {
                held.remove();
                return true;
            }
        }
        return false;
    }

    private void take(String[] words) {
        for (int word = 1; word < words.length; word++) {
            player.hand.add(new Card(number(words, word)));
        }
    }

    private void give(int rank) {
        for (Card card : player.hand) {
            if (card.getNumber() == rank) {
                remove(card);
                return;
            }
        }
    }

    /** Takes in {@code SIZES a b c d PILE n}, which ends a line. */
    private void table(String[] words) {
        int first = words.length - 2 - players.size();
        for (int seat = 0; seat < players.size(); seat++) {
            if (players.get(seat) instanceof Other) {
                ((Other) players.get(seat)).size = number(words, first + seat);
            }
        }
        controller.setDiscardPileSize(number(words, words.length - 1));
    }

    private static int number(String[] words, int word) {
        return Integer.parseInt(words[word]);
    }

    private void answer(String line) {
        out.print(line + "\n");
        out.flush();
    }

    /** Tells the log everything and the referee, in place of an answer, what happened. */
    private void giveUp(String what, Throwable thrown) throws IOException {
        System.err.println(what);
        if (thrown != null) {
            thrown.printStackTrace(System.err);
        }
        System.err.flush();
        String line = what.length() > SHOWN ? what.substring(0, SHOWN) + "..." : what;
        answer(line.replaceAll("[^\\x20-\\x7e]", "?"));
        Runtime.getRuntime().halt(1);
    }
}
