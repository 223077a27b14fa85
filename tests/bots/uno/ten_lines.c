/* A bot of Uno: pays what it owes, discards what fits, else buys a card. */
#include <stdio.h>
#include <string.h>
#define IS(word) (strcmp(first, word) == 0)
#define SUIT(card) ((card) + strlen(card) - 3)

int main(void) {
  char line[200], me[10] = "", hand[64][16], table[16] = "", suit[16] = "", *first, *next, *last;
  int cards = 0, debt = 0, i;
  while (fgets(line, sizeof line, stdin) && (first = strtok(line, " \n"))) {
    next = strtok(NULL, " \n");
    if (IS("YOU")) strcpy(me, next);
    else if (IS("HAND")) while (*(next = strtok(NULL, " \n")) != ']') strcpy(hand[cards++], next);
    else if (IS("BUY") || IS("INVALID")) debt = 0;
    else if (IS("TABLE") || IS("DISCARD")) {
      last = strtok(NULL, " \n");
      strcpy(table, next), strcpy(suit, last ? last : SUIT(table));
      debt = *table == 'V' ? 2 : *table == 'C' ? 4 : 0;
    } else if (IS("TURN") && strcmp(next, me) == 0) {
      for (i = 0; i < cards; i++)
        if (strchr("AC", *hand[i]) || *hand[i] == *table || strcmp(SUIT(hand[i]), suit) == 0) break;
      if (debt || i == cards) printf("BUY %d\n", debt ? debt : 1);
      else {
        printf("DISCARD %s\n", strcpy(table, hand[i])), strcpy(suit, SUIT(table));
        memmove(hand[i], hand[--cards], sizeof hand[i]);
      }
      fflush(stdout), debt = 0;
    } else if (!next && cards < 64) strcpy(hand[cards++], first);
  }
}
