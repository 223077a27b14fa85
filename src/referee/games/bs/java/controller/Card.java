package controller;

/** A card in a hand. It stays the same object as long as it stays in the hand. */
public final class Card {
    private final int number;

    Card(int number) {
        this.number = number;
    }

    /** Its rank, 0 to 12. */
    public int getNumber() {
        return number;
    }

    @Override
    public String toString() {
        return Integer.toString(number);
    }
}
