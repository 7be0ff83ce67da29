// Documents from files: every format gives the counts that stand in it, what is wrong is refused with its line and
// before memory is taken for it, and a packed corpus is the same documents, on any number of threads, or is refused.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <thread>

#include <quasar/errors.hpp>

#include "front/read_corpus.hpp"
#include "io/documents.hpp"
#include "io/packed_corpus.hpp"
#include "io/packed_corpus_format.hpp"
#include "io/tokenizer.hpp"
#include "io/vocabulary.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::error_message, test::TempFolder;
namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

InputFile in_memory(std::string text) {
  return {"mem", [text = std::move(text), done = std::size_t{0}](std::span<char> to) mutable {
            const std::size_t count = text.copy(to.data(), std::min<std::size_t>(to.size(), 5), done);
            done += count;
            return count;
          }};
}

DocumentsRead read(const std::string& text, const DocumentSettings& settings = {}) {
  return read_documents(in_memory(text), settings);
}
std::string refusal(const std::string& text, const DocumentSettings& settings = {}) {
  return error_message<DataError>([&] { read(text, settings); });
}

// Documents as "word:count word:count | ...", by names where there are some.
std::string shown(const Corpus& counts, const Texts& words = {}) {
  std::string all;
  for (Index n = 0; n < counts.documents(); ++n) {
    const Document document = counts.document(n);
    if (n > 0) all += "| ";
    for (std::size_t i = 0; i < document.words.size(); ++i) {
      const std::uint32_t word = document.words[i];
      all += (words.empty() ? std::to_string(word) : words[word]) + ":" + std::to_string(document.counts[i]) + " ";
    }
  }
  return all;
}
std::string shown(const DocumentsRead& read) { return shown(read.corpus.counts, read.corpus.words); }

const std::string uci = "3\n4\n5\n1 1 2\n1 4 1\n3 2 7\n3 3 1\n3 4 1\n";
const std::string matrix =
    "%%MatrixMarket matrix coordinate integer general\n% counts\n3 4 6\n3 4 1\n1 1 2\n3 2 7\n2 2 0\n3 3 1\n1 4 1\n";

TEST(NumberedDocuments, OfBothFormatsAreTheSame) {
  const DocumentsRead bag = read(uci), market = read(matrix);
  EXPECT_EQ(shown(bag), "0:2 3:1 | | 1:7 2:1 3:1 ");
  EXPECT_EQ(shown(market), shown(bag));
  EXPECT_EQ(bag.kind, "UCI bag of words");
  EXPECT_EQ(market.kind, "MatrixMarket");
  EXPECT_EQ(bag.corpus.counts.vocabulary, 4);
  EXPECT_EQ(bag.corpus.content_hash, market.corpus.content_hash);
  EXPECT_NE(bag.corpus.content_hash, read("3\n5\n5\n" + uci.substr(6)).corpus.content_hash);
  EXPECT_EQ(shown(read(matrix.substr(0, 33) + "real" + matrix.substr(40))), shown(bag));
}

TEST(NumberedDocuments, ComeInAnyOrderAndAddUp) {
  EXPECT_EQ(shown(read("2\n3\n4\n2 3 1\n1 2 4\n2 1 1\n1 2 5\n")), "1:9 | 0:1 2:1 ");
  EXPECT_EQ(shown(read("1\r\n2\r\n1\r\n1 2 3.0\r\n\r\n")), "1:3 ");
  EXPECT_EQ(refusal("1\n1\n2\n1 1 4294967295\n1 1 1\n"), "mem: document 1 has one word more than 4294967295 times");
}

TEST(NumberedDocuments, WrongLinesAreNamed) {
  const std::pair<const char*, const char*> wrong[] = {
      {"1\n1\n1\n0 1 1\n", "mem:4: document 0 is not between 1 and 1"},
      {"1\n1\n1\n1 2 1\n", "mem:4: word 2 is not between 1 and 1"},
      {"1\n1\n1\n1 1 1\n1 1 1\n", "mem:5: there are more than the 1 entries that the third line promises"},
      {"1\n1\n3\n1 1 1\n", "mem:4: the file ends after 1 of the 3 entries that it promises"},
      {"0\n1\n0\n", "mem:3: there are no documents or no words"},
      {"1\n1\n0\n", "mem: no words in 1 documents"},
      {"1\n1\n1\n1 1 0\n", "mem: no words in 1 documents"},
      {"99999999999\n1\n0\n", "mem:3: more than 2147483647 documents or words cannot be counted"},
      {"99999999999999999999\n1\n0\n", "mem:1: '99999999999999999999' is not a whole number"},
      {"2000000000\n1\n1\n1 1 1\n",
       "mem:4: the file promises 2000000000 documents and 1 words, and has 1 entries: this is damaged"},
      {"1\n2000000000\n1\n1 1 1\n",
       "mem:4: the file promises 1 documents and 2000000000 words, and has 1 entries: this is damaged"},
      {"%%MatrixMarket matrix coordinate integer general\n2000000000 1 1\n1 1 1\n",
       "mem: the file promises 2000000000 documents and 1 words, and has 1 entries: this is damaged"},
      {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.5\n",
       "mem:3: the count '0.5' is not a whole number between 0 and 4294967295"},
      {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -1\n",
       "mem:3: the count '-1' is not a whole number between 0 and 4294967295"},
      {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n",
       "mem:1: a matrix of the kind 'pattern' holds no counts of words; it must be real or integer"},
      {"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n",
       "mem:1: a matrix of counts of words is general, not 'symmetric': documents are no words"}};
  for (const auto& [text, message] : wrong) EXPECT_EQ(refusal(text), message) << text;
  const DocumentSettings as_uci{.format = DocumentFormat::uci};
  EXPECT_EQ(refusal("1\n1\n1\n1 1\n"), "mem:4: expected document, word and count, found 2 fields");
  EXPECT_EQ(refusal("1\n1\n1\n1 1 x\n"), "mem:4: the count 'x' is not a whole number between 0 and 4294967295");
  EXPECT_EQ(refusal("1 2\n", as_uci), "mem:1: expected the number of documents alone in its line");
  EXPECT_EQ(refusal("1\n2\n", as_uci), "mem:2: the number of entries is missing");
  EXPECT_EQ(refusal(""), "mem: the file is empty");
}

// The largest header that is no nonsense by itself: memory goes by the entries that are there.
TEST(NumberedDocuments, AHeaderAloneTakesNoMemory) {
  EXPECT_EQ(refusal("3\n4\n1000000000000000000\n1 1 1\n"),
            "mem:4: the file ends after 1 of the 1000000000000000000 entries that it promises");
  EXPECT_EQ(read("1000000\n1\n1\n1000000 1 1\n").corpus.counts.documents(), 1000000);
}

TEST(Vocabularies, NameNumberedWords) {
  const Texts words = read_vocabulary(in_memory("ape\nbee \ncat\ndog\n\n"));
  EXPECT_EQ(words, (Texts{"ape", "bee", "cat", "dog"}));
  EXPECT_EQ(shown(read(uci, {.vocabulary = words})), "ape:2 dog:1 | | bee:7 cat:1 dog:1 ");
  EXPECT_EQ(refusal(uci, {.vocabulary = {"ape"}}), "mem: has 4 words, and the vocabulary has 1");
  const auto wrong = [](const char* text) {
    return error_message<DataError>([&] { read_vocabulary(in_memory(text)); });
  };
  EXPECT_EQ(wrong("ape\n\nbee\n"), "mem:2: a word is missing: a vocabulary has one in each line");
  EXPECT_EQ(wrong("ape\nbee\nape\n"), "mem:3: the word 'ape' is in line 1 too");
  EXPECT_EQ(wrong("ape\n\xff\n"), "mem:2: the word is not UTF-8 text");
  EXPECT_EQ(wrong("\n"), "mem: a vocabulary without words");
}

Texts words_of(std::string_view text, Tokenizer tokenizer = Tokenizer()) {
  Texts words;
  tokenizer.each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(Tokens, AreRunsOfLettersInLowerCase) {
  EXPECT_EQ(words_of("The CAT, and 2 dogs2go!"), (Texts{"the", "cat", "and", "dogs", "go"}));
  EXPECT_EQ(words_of("Don't 'quote' dogs' it\u2019s o'\u2019k x'"),
            (Texts{"dont", "quote", "dogs", "its", "o", "k", "x"}));
  EXPECT_EQ(words_of("\u00c4RGER \u0130stanbul \u0141\u00d3D\u0179 \u0178 \u039b\u03cc\u03b3\u03bf\u03c2 "
                     "\u041c\u0418\u0420 \u0401\u0436 3\u00d74\u00f72"),
            (Texts{"\u00e4rger", "istanbul", "\u0142\u00f3d\u017a", "\u00ff", "\u03bb\u03cc\u03b3\u03bf\u03c2",
                   "\u043c\u0438\u0440", "\u0451\u0436"}));
  EXPECT_EQ(words_of("\u4f60\u597d\uff0c\u4e16\u754c\u3002 \U0001F600ok"),
            (Texts{"\u4f60\u597d", "\u4e16\u754c", "ok"}));
  EXPECT_EQ(words_of(""), Texts{});
}

// Stray, cut, overlong and surrogate bytes stand between words, and nothing of them is kept.
TEST(Tokens, BytesThatAreNoUtf8SeparateWords) {
  EXPECT_EQ(words_of("ab\xff"
                     "cd\xc3"),
            (Texts{"ab", "cd"}));
  EXPECT_EQ(words_of("a\xe2\x80"), (Texts{"a"}));
  EXPECT_EQ(words_of("a\xc1\xa1"
                     "b\xe0\x81\xa1"
                     "c\xed\xa0\x80"
                     "d\xf4\x90\x80\x80"
                     "e"),
            (Texts{"a", "b", "c", "d", "e"}));
}

TEST(Tokens, CanBeTooShortOrStopWords) {
  EXPECT_EQ(words_of("a \u00e4\u00e4 aaa", Tokenizer(2)), (Texts{"\u00e4\u00e4", "aaa"}));
  EXPECT_EQ(words_of("Don't do THIS", Tokenizer(1, {"don't\nthis"})), (Texts{"do"}));
  EXPECT_EQ(words_of("this is about cats", Tokenizer(1, english_stop_words())), (Texts{"cats"}));
}

const std::string lines = "the cat saw the dog\n\na dog, a dog, a cow\n";

TEST(TextDocuments, AreLinesOrFiles) {
  const DocumentsRead by_line = read(lines);
  EXPECT_EQ(by_line.kind, "a text in each line");
  EXPECT_EQ(by_line.corpus.words, (Texts{"dog", "the", "cat", "cow", "saw"}));
  EXPECT_EQ(shown(by_line), "dog:1 the:2 cat:1 saw:1 | | dog:2 cow:1 ");
  TempFolder folder;
  fs::create_directories(folder.file("b/c"));
  folder.write("b/c/one.txt", "a dog,\na dog, a cow");
  folder.write("a.txt", "the cat saw the dog");
  folder.write("b.txt", "");
  folder.write("b/no.md", "zebra");
  const gzFile zipped = gzopen(folder.file("z.txt.gz").c_str(), "wb");
  gzputs(zipped, "cow");
  gzclose(zipped);
  const DocumentsRead by_file = read_documents(folder.path(), {});
  EXPECT_EQ(by_file.corpus.documents, (Texts{"a.txt", "b.txt", "b/c/one.txt", "z.txt.gz"}));
  EXPECT_EQ(shown(by_file), "dog:1 the:2 cat:1 saw:1 | | dog:2 cow:1 | cow:1 ");
  EXPECT_EQ(by_file.corpus.words, (Texts{"dog", "cow", "the", "cat", "saw"}));
  folder.write("nul.txt", std::string_view("a\nb\0", 4));
  EXPECT_EQ(error_message<DataError>([&] { read_documents(folder.path(), {}); }),
            folder.file("nul.txt").string() + ":2: a NUL byte: this is not a text file in UTF-8");
  TempFolder none;
  EXPECT_EQ(error_message<DataError>([&] { read_documents(none.path(), {}); }),
            none.path().string() + ": there are no files *.txt in this folder");
}

TEST(TextDocuments, KeepTheWordsThatAreAskedFor) {
  EXPECT_EQ(read(lines, {.min_documents = 2}).corpus.words, (Texts{"dog"}));
  EXPECT_EQ(read(lines, {.max_words = 3}).corpus.words, (Texts{"dog", "the", "cat"}));
  EXPECT_EQ(shown(read(lines, {.max_words = 2})), "dog:1 the:2 | | dog:2 ");
  const DocumentsRead given = read(lines, {.vocabulary = {"cow", "dog", "pig"}, .min_documents = 9, .max_words = 1});
  EXPECT_EQ(given.corpus.words, (Texts{"cow", "dog", "pig"}));
  EXPECT_EQ(shown(given), "dog:1 | | cow:1 dog:2 ");
  EXPECT_EQ(given.left_out, 4);
  EXPECT_EQ(refusal(lines, {.min_documents = 3}), "mem: no words in 3 documents");
}

TEST(DocumentsInWords, AreCountedAsTheyAre) {
  const DocumentWords words = {{"The", "b", "b"}, {}, {"don't", "b", "New York"}};
  const DocumentSettings strict{.min_length = 5, .stop_words = {"the"}};  // for texts
  const DocumentsRead read = read_words(words, strict);
  EXPECT_EQ(shown(read), "b:2 The:1 | | b:1 New York:1 don't:1 ");
  EXPECT_EQ(read.corpus.content_hash, content_hash(read.corpus));
  EXPECT_EQ(read_words(words, {.min_documents = 2}).corpus.words, (Texts{"b"}));
  const KnownWords known{2, {"the", "b"}};
  EXPECT_EQ(shown(read_words(words, {.known = &known})), "b:2 | | b:1 ");
  EXPECT_EQ(read_words(words, {.known = &known}).left_out, 3);
  EXPECT_EQ(error_message<DataError>([] { read_words({{"a"}, {"b", ""}}, {}); }), "document 2: a word is empty");
  EXPECT_EQ(error_message<DataError>([] { read_words({{}, {}}, {}); }), "documents: no words in 2 documents");
}

TEST(CsvDocuments, HaveAWordOrATextInEachRow) {
  const std::string words = "count,document,word\n2,x,null\n1,y,b c\n3,x,\"a\"\n1,x,null\n0,z,a\n";
  const DocumentsRead by_word = read(words);
  EXPECT_EQ(by_word.kind, "CSV, a word in each row");
  EXPECT_EQ(shown(by_word), "a:3 null:3 | b c:1 | ");
  EXPECT_EQ(by_word.corpus.documents, (Texts{"x", "y", "z"}));
  EXPECT_EQ(shown(read("document,word\nx,b\nx,a\nx,b\n")), "b:2 a:1 ");
  EXPECT_EQ(shown(read("d,w,n\nx,b,4\n", {.columns = {"d", "w", "n", ""}})), "b:4 ");
  const DocumentsRead by_text = read("id,text\n1,\"one cat,\ntwo cats\"\n2,\n");
  EXPECT_EQ(by_text.kind, "CSV, a text in each row");
  EXPECT_EQ(shown(by_text), "cat:1 cats:1 one:1 two:1 | ");
  EXPECT_TRUE(by_text.corpus.documents.empty());
  EXPECT_EQ(read("id,body\n1,cat\n", {.columns = {"id", "", "", "body"}}).corpus.documents, (Texts{"1"}));
}

TEST(CsvDocuments, WrongRowsAreNamed) {
  EXPECT_EQ(refusal("document,word,count\nx,a,1.5\n"),
            "mem:2: the count '1.5' is not a whole number between 0 and 4294967295");
  EXPECT_EQ(refusal("document,word,count\nx,a,1\n,a,1\n"), "mem:3: the document is missing");
  EXPECT_EQ(refusal("document,word,count\nx,a,1\nx,,1\n"), "mem:3: the word is missing");
  EXPECT_EQ(refusal("document,word,count\nx,\xff,1\n"), "mem:2: the word is not UTF-8 text");
  EXPECT_EQ(refusal("document,word,count\nx,a\n"), "mem:2: expected 3 fields, found 2");
  EXPECT_EQ(refusal("text,text\nx,a\n"), "mem:1: column 2 ('text') repeats the name of column 1");
  EXPECT_EQ(refusal("text\n\"open\n"), "mem:2: the quote that opens field 1 is never closed");
  EXPECT_EQ(refusal("text\n"), "mem: no words in 0 documents");
  EXPECT_EQ(refusal("a,b\n1,2\n", {.format = DocumentFormat::csv}),
            "mem:1: there is no column 'document': there are a, b; a column of texts is named by text, others by "
            "document, word and count");
  EXPECT_EQ(error_message<UsageError>([] {
              read("a,b\n1,2\n", {.columns = {"", "", "", "body"}});
            }),
            "mem: there is no column 'body': there are a, b");
  EXPECT_THROW(read("text,word\na,b\n", {.columns = {"", "word", "", "text"}}), UsageError);
}

TEST(KnownDocuments, AreReadByTheWordsOfAModel) {
  const KnownWords known{3, {"dog", "pig", "cat"}}, unnamed{4, {}};
  const DocumentsRead texts = read(lines, {.known = &known});
  EXPECT_EQ(shown(texts), "dog:1 cat:1 | | dog:2 ");
  EXPECT_EQ(texts.left_out, 4);
  const DocumentsRead numbers = read(uci, {.vocabulary = {"ape", "dog", "cat", "pig"}, .known = &known});
  EXPECT_EQ(shown(numbers), "pig:1 | | dog:7 pig:1 cat:1 ");
  EXPECT_EQ(numbers.left_out, 2);
  EXPECT_EQ(numbers.corpus.counts.vocabulary, 3);
  EXPECT_EQ(shown(read(uci, {.known = &unnamed})), shown(read(uci)));
  EXPECT_EQ(
      refusal(uci, {.known = &known}),
      "mem: has 4 words, and the model knows 3: their numbers are not the same; a vocabulary would tell which words "
      "they are");
  EXPECT_THROW(read(lines, {.known = &unnamed}), UsageError);
  EXPECT_THROW(read(lines, {.vocabulary = {"dog"}, .known = &known}), UsageError);
  EXPECT_EQ(shown(read(lines, {.vocabulary = known.names, .known = &known})), shown(texts));  // says the same
  EXPECT_EQ(refusal("zebra\n", {.known = &known}), "mem: no words in 1 documents that are in the vocabulary");
}

Config config(const Settings& settings = {}) { return {"corpus", corpus_params(), settings}; }

std::vector<Index> everything(const DocumentSource& source) {
  std::vector<Index> all(static_cast<std::size_t>(source.documents()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}
std::string shown(const OpenCorpus& corpus) {
  Corpus counts;
  corpus.documents->read(everything(*corpus.documents), counts);
  EXPECT_EQ(counts.vocabulary, corpus.documents->vocabulary());
  return shown(counts, corpus.words);
}

const std::string csv = "document,word,count\nx,ape,2\ny,bee,7\ny,ape,1\nempty,bee,0\nz,cat,1\nz,ape,3\n";

std::string sound_bytes(const std::string& text = csv) {
  TempFolder folder;
  write_packed_corpus(folder.file("c.qpk"), read(text).corpus);
  std::ifstream in(folder.file("c.qpk"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PackedCorpora, AreTheSameDocuments) {
  TempFolder folder;
  const DocumentsRead read = quasar::read(csv);
  const fs::path file = folder.write("c", sound_bytes());
  EXPECT_TRUE(is_packed_corpus(file));
  const OpenCorpus open = read_corpus(file.string(), config());
  EXPECT_EQ(shown(open), shown(read));
  EXPECT_EQ(open.words, read.corpus.words);
  EXPECT_EQ(open.titles, (Texts{"x", "y", "empty", "z"}));
  EXPECT_EQ(open.content_hash, read.corpus.content_hash);
  EXPECT_EQ(open.documents->tokens(), 14);
  EXPECT_EQ(open.nonzeros, 5);
  EXPECT_EQ(open.documents->whole(), nullptr);
  Corpus some;
  open.documents->read(std::vector<Index>{3, 2, 0, 3}, some);
  EXPECT_EQ(shown(some, open.words), "ape:3 cat:1 | | ape:2 | ape:3 cat:1 ");
  EXPECT_EQ(verify_packed_corpus(file).documents->tokens(), 14);
  EXPECT_EQ(fs::file_size(file), packed_alignment + 5 * 8);
}

TEST(PackedCorpora, NeedNoNames) {
  TempFolder folder;
  const OpenCorpus open = read_corpus(folder.write("c", sound_bytes(uci)).string(), config());
  EXPECT_EQ(shown(open), shown(read(uci)));
  EXPECT_TRUE(open.words.empty() && open.titles.empty());
}

TEST(PackedCorpora, AreReadByTheWordsOfAModel) {
  TempFolder folder;
  const std::string file = folder.write("c", sound_bytes()).string(),
                    numbers = folder.write("n", sound_bytes(uci)).string();
  const OpenCorpus by_name = read_corpus_by({3, {"cat", "eel", "ape"}}, file, config());
  EXPECT_EQ(shown(by_name), "ape:2 | ape:1 | | cat:1 ape:3 ");
  EXPECT_EQ(by_name.left_out, 7);
  EXPECT_EQ(note_on_words(by_name), "7 of 14 tokens are of words that the vocabulary does not have, and are left out");
  const OpenCorpus same = read_corpus_by({3, read_corpus(file, config()).words}, file, config());
  EXPECT_EQ(same.documents->whole(), nullptr);
  EXPECT_EQ(note_on_words(same), "");
  EXPECT_EQ(shown(read_corpus_by({4, {}}, numbers, config())), shown(read(uci)));
  EXPECT_THROW(read_corpus_by({5, {}}, numbers, config()), DataError);
  EXPECT_THROW(read_corpus_by({2, {"ape", "bee"}}, numbers, config()), DataError);
}

TEST(PackedCorpora, AreReadByManyThreadsAtOnce) {
  std::string text = "5000\n50\n15000\n";
  for (int n = 1; n <= 5000; ++n) {
    for (int i = 0; i < 3; ++i) {
      text += std::to_string(n) + " " + std::to_string((n * 7 + i * 17) % 50 + 1) + " " + std::to_string(i + 1) + "\n";
    }
  }
  TempFolder folder;
  const fs::path file = folder.file("c");
  const Corpus expected = read(text).corpus.counts;
  write_packed_corpus(file, read(text).corpus);
  const PackedCorpus packed = open_packed_corpus(file);
  std::vector<Corpus> found(4);
  std::vector<std::thread> threads;
  for (Corpus& mine : found) {
    threads.emplace_back([&mine, &packed] {
      Corpus batch;
      mine.vocabulary = packed.documents->vocabulary();
      for (Index n = 0; n < packed.documents->documents(); n += 2) {
        packed.documents->read(std::vector<Index>{n, n + 1}, batch);
        mine.add(batch.document(0));
        mine.add(batch.document(1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Corpus& one : found) {
    EXPECT_EQ(one.begin, expected.begin);
    EXPECT_EQ(one.words, expected.words);
    EXPECT_EQ(one.counts, expected.counts);
  }
}

std::string complaint(std::string_view bytes, const std::function<void(const fs::path&)>& use) {
  TempFolder folder;
  const fs::path file = folder.write("c.qpk", bytes);
  const std::string message = error_message<DataError>([&] { use(file); });
  EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
  return message.substr(std::min(message.size(), file.string().size() + 2));
}
std::string complaint(std::string_view bytes) {
  return complaint(bytes, [](const fs::path& file) { open_packed_corpus(file); });
}

TEST(PackedCorpora, AnyCutOrFlippedBitIsNoticed) {
  const std::string sound = sound_bytes();
  for (std::size_t size = 0; size < sound.size(); size += size < 400 ? 7 : 113) {
    EXPECT_TRUE(complaint(sound.substr(0, size)).starts_with("is cut short")) << size;
  }
  EXPECT_EQ(complaint(sound + '\0'), "is too long: 4137 bytes where its header tells of 4136");
  PackedCorpusHead head;
  std::memcpy(&head, sound.data(), sizeof head);
  const auto flipped = [&](std::size_t bit) {
    std::string bytes = sound;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    return bytes;
  };
  for (std::size_t bit = 0; bit < 8 * packed_corpus_header_size(head); bit += 11) {
    EXPECT_NE(complaint(flipped(bit)), "") << bit;
  }
  for (std::size_t bit = 8 * packed_alignment; bit < 8 * sound.size(); bit += 11) {
    EXPECT_EQ(complaint(flipped(bit), [](const fs::path& file) { verify_packed_corpus(file); }),
              "is damaged: its documents do not fit their checksum");
  }
  std::string newer = sound;
  newer[8] = 2;
  EXPECT_EQ(complaint(newer), "has a packed corpus of version 2; this Quasar reads version 1: pack it again");
  EXPECT_EQ(complaint(std::string(200, '\n')), "is no packed corpus");
}

// A file that was changed by somebody who also wrote fresh checksums.
using Change = std::function<void(PackedCorpusHead&, std::span<std::int64_t> begin, std::span<char> texts)>;
std::string forged(std::string bytes, const Change& change) {
  PackedCorpusHead head;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t end = packed_corpus_header_size(head), texts = head.text_bytes;
  std::vector<std::int64_t> begin(head.documents + 1);
  std::memcpy(begin.data(), bytes.data() + sizeof head, begin.size() * 8);
  change(head, begin, std::span(bytes).subspan(end - texts, texts));
  std::memcpy(bytes.data() + sizeof head, begin.data(), begin.size() * 8);
  head.checksum = packed_header_checksum(head, std::as_bytes(std::span(bytes).first(end).subspan(sizeof head)));
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

TEST(PackedCorpora, HeadersThatMakeNoSenseAreRefusedEvenWithTheRightChecksum) {
  using Head = PackedCorpusHead;
  using Begin = std::span<std::int64_t>;
  using Chars = std::span<char>;
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const std::string sound = sound_bytes();
  const std::pair<const char*, Change> changes[] = {
      {"documents overflow", [](Head& head, Begin, Chars) { head.documents = huge; }},
      {"words overflow", [](Head& head, Begin, Chars) { head.vocabulary = huge; }},
      {"names of some words", [](Head& head, Begin, Chars) { head.words = 1; }},
      {"titles of some documents", [](Head& head, Begin, Chars) { head.titles = 1; }},
      {"texts overflow", [](Head& head, Begin, Chars) { head.text_bytes = huge; }},
      {"entries overflow",
       [](Head& head, Begin begin, Chars) {
         head.nonzeros = std::uint64_t{1} << 61;
         begin.back() = std::int64_t{1} << 61;
         head.tokens = head.nonzeros;
       }},
      {"entries beyond the file", [](Head& head, Begin begin, Chars) { head.nonzeros += 1, begin.back() += 1; }},
      {"entries of no document", [](Head&, Begin begin, Chars) { begin.back() -= 1; }},
      {"documents out of order", [](Head&, Begin begin, Chars) { std::swap(begin[1], begin[2]); }},
      {"a document before the first", [](Head&, Begin begin, Chars) { begin[0] = -1; }},
      {"fewer tokens than entries", [](Head& head, Begin, Chars) { head.tokens = 4; }},
      {"tokens overflow", [](Head& head, Begin, Chars) { head.tokens = huge; }},
      {"data in the header", [](Head& head, Begin, Chars) { head.data_begin = 0; }},
  };
  EXPECT_EQ(forged(sound, [](Head&, Begin, Chars) {}), sound);
  for (const auto& [name, change] : changes) {
    EXPECT_TRUE(complaint(forged(sound, change)).starts_with("is damaged")) << name;
  }
  const Change bee_is_ape = [](Head&, Begin, Chars texts) { std::copy_n("apeape", 6, texts.begin()); };
  EXPECT_EQ(complaint(forged(sound, bee_is_ape)), "has the word 'ape' twice: pack the corpus again");
  const Change more_tokens = [](Head& head, Begin, Chars) { head.tokens = 15; };
  EXPECT_EQ(complaint(forged(sound, more_tokens), [](const fs::path& file) { verify_packed_corpus(file); }),
            "is damaged: it has 14 tokens, and its header tells of 15");
}

TEST(PackedCorpora, WordsThatAreNotThereDoNotReachAModel) {
  const auto changed = [](std::size_t at, std::uint32_t value) {
    std::string bytes = sound_bytes();
    std::memcpy(bytes.data() + packed_alignment + at, &value, sizeof value);
    return complaint(bytes, [](const fs::path& file) {
      const PackedCorpus corpus = open_packed_corpus(file);
      Corpus counts;
      corpus.documents->read(everything(*corpus.documents), counts);
    });
  };
  const std::string expected = "is damaged: document 2 has words that are not there, twice or not counted";
  EXPECT_EQ(changed(2 * 8, 3), expected);
  EXPECT_EQ(changed(2 * 8, 0), expected);
  EXPECT_EQ(changed(2 * 8 + 4, 0), expected);
}

TEST(ReadingCorpora, CutsNewTextsAsThoseOfTheFit) {
  TempFolder folder;
  const std::string stop_words = folder.write("s", "dog").string();
  const std::string fit =
      R"({"documents": {"min_length": "2", "stop_words": "none", "text": "body", "format": "csv"}})";
  EXPECT_EQ(cut_as_fitted(fit, {}), (Settings{{"min_length", "2"}, {"stop_words", "none"}}));
  EXPECT_EQ(cut_as_fitted(fit, {{"min_length", "5"}, {"text", "t"}}),
            (Settings{{"min_length", "5"}, {"stop_words", "none"}, {"text", "t"}}));
  const std::string by_file = R"({"documents": {"stop_words": ")" + stop_words + R"("}})";
  EXPECT_EQ(cut_as_fitted(by_file, {}), (Settings{{"stop_words", stop_words}}));
  fs::remove(stop_words);
  EXPECT_EQ(cut_as_fitted(by_file, {}), (Settings{{"stop_words", "none"}}));
  for (const char* other : {"", "{}", "[1]", R"({"documents": 3})", R"({"documents": {"min_length": [2]}})"}) {
    EXPECT_EQ(cut_as_fitted(other, {}), Settings{}) << other;
  }
}

TEST(ReadingCorpora, RefusesWhatIsNone) {
  TempFolder folder;
  EXPECT_THROW(config({{"format", "pdf"}}), UsageError);
  EXPECT_THROW(read_corpus(folder.file("none").string(), config()), DataError);
  EXPECT_THROW(read_corpus(folder.path().string(), config({{"format", "lines"}})), UsageError);
  const std::string file = folder.write("t", lines).string();
  EXPECT_THROW(read_corpus(file, config({{"vocabulary", folder.file("none").string()}})), DataError);
  const OpenCorpus open = read_corpus(file, config({{"stop_words", "none"}, {"min_length", "1"}}));
  EXPECT_EQ(open.words.front(), "a");
  EXPECT_EQ(corpus_in_words(open), "3 documents, 6 words, 11 tokens");
  EXPECT_EQ(shown(read_corpus(file, config())), "dog:1 cat:1 saw:1 | | dog:2 cow:1 ");
  EXPECT_EQ(shown(read_corpus(file, config({{"stop_words", folder.write("s", "dog\nsaw the\n").string()}}))),
            "cat:1 | | cow:1 ");
}

}  // namespace
}  // namespace quasar
