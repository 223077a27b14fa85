/* A bot of Uno that reads as the bots of the text do, with scanf, and plays one card for ever. */
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[100], me[10], action[10], rest[100];
  setbuf(stdin, NULL);
  setbuf(stdout, NULL);
  scanf("PLAYERS %[^\n]\n", line);
  scanf("YOU %s\n", me);
  scanf("HAND %[^\n]\n", line);
  scanf("TABLE %s\n", line);
  while (1) {
    do {
      scanf("%s %s", action, rest);
    } while (strcmp(action, "TURN") || strcmp(rest, me));
    printf("DISCARD A♥ ♥\n");
  }
}
