#include "io/tokenizer.hpp"

namespace quasar {

// Words of English that tell nothing of what a text is about: articles, pronouns, prepositions, conjunctions, auxiliary
// verbs and the commonest adverbs, without their apostrophes.
const std::vector<std::string>& english_stop_words() {
  static const std::vector<std::string> words = {
      // articles and determiners
      "a", "an", "the", "this", "that", "these", "those", "each", "every", "either", "neither", "both", "all", "any",
      "some", "no", "none", "such", "same", "other", "others", "another", "few", "fewer", "many", "much", "more",
      "most", "less", "least", "several", "own", "enough",
      // pronouns
      "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves", "you", "your", "yours", "yourself",
      "yourselves", "he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself", "they",
      "them", "their", "theirs", "themselves", "one", "ones", "who", "whom", "whose", "which", "what", "whoever",
      "whatever", "whichever", "someone", "something", "anyone", "anything", "everyone", "everything", "nobody",
      "nothing", "anybody", "everybody", "somebody",
      // auxiliary verbs
      "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "having", "do", "does", "did",
      "doing", "done", "will", "would", "shall", "should", "can", "could", "may", "might", "must", "ought", "cannot",
      // contractions
      "im", "ive", "id", "ill", "youre", "youve", "youd", "youll", "hes", "shes", "theyre", "theyve", "theyd", "theyll",
      "weve", "thats", "theres", "whats", "whos", "heres", "isnt", "arent", "wasnt", "werent", "hasnt", "havent",
      "hadnt", "dont", "doesnt", "didnt", "wont", "wouldnt", "shouldnt", "cant", "couldnt", "mustnt", "lets",
      // prepositions
      "about", "above", "across", "after", "against", "along", "among", "around", "at", "before", "behind", "below",
      "beneath", "beside", "besides", "between", "beyond", "by", "down", "during", "except", "for", "from", "in",
      "inside", "into", "like", "near", "of", "off", "on", "onto", "out", "outside", "over", "per", "since", "through",
      "throughout", "to", "toward", "towards", "under", "until", "up", "upon", "via", "with", "within", "without",
      // conjunctions
      "and", "or", "but", "nor", "so", "yet", "if", "because", "although", "though", "unless", "while", "whereas",
      "whether", "than", "as",
      // adverbs
      "not", "only", "just", "also", "too", "very", "quite", "rather", "even", "ever", "never", "always", "often",
      "sometimes", "again", "already", "still", "soon", "then", "now", "here", "there", "where", "when", "why", "how",
      "well", "almost", "perhaps", "however", "therefore", "thus", "hence", "else", "once", "twice", "further", "away",
      "back", "together", "instead", "otherwise", "etc"};
  return words;
}

}  // namespace quasar
