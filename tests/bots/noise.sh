# A bot that answers every line with noise made of the words of its game: noise.sh GAME SEED
awk -v game="$1" -v seed="$2" '
BEGIN {
    srand(seed)
    words["uno"] = "AH 10S KD 2C draw pass hearts spades - 7H,7D uno JOKER 0 -1 99999999999999999999"
    words["bs"] = "AH,10S KD 2C BS pass play claim 4 -1 doubt , ,, A 99999999999999999999"
    words["barbu"] = "AH 10S KD 2C pass double play hearts -1 0 7 ravage barbu queens 99999999999999999999"
    n = split(words[game], word, " ")
}
{
    line = ""
    count = int(rand() * 4)
    for (i = 0; i <= count; i++) {
        text = word[1 + int(rand() * n)]
        if (rand() < 0.2) text = text sprintf("%c", 1 + int(rand() * 254))
        if (rand() < 0.1) text = substr(text, 2)
        line = line (i ? " " : "") text
    }
    print line
    fflush()
}'
