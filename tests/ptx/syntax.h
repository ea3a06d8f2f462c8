// syntax.h: PTX as text: pieces of a body, words, lists, types, declarations, numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ptx {

// A type such as s32: its kind (b, u, s, f; p for pred) and its bits.
struct Type {
  char kind;
  unsigned bits;
  unsigned bytes() const { return bits / 8; }
};
bool type_of(const std::string &word, Type &type);

std::string trimmed(const std::string &text);
// Parts between separators that stand in no bracket.
std::vector<std::string> split(const std::string &text, char separator = ',');
std::vector<std::string> words_of(const std::string &text);
bool begins(const std::string &text, const char *with);
std::string without_comments(const std::string &text);

// The bits of a number as an operand of so many bytes: an integer, a decimal, 0f or 0d and bits.
bool number_of(const std::string &word, unsigned bytes, uint64_t &bits);

// ".shared .align 16 .b8 name[32]", with what stands behind "=".
struct Declaration {
  std::string space, name, values;
  unsigned alignment = 1, element = 0;
  uint32_t bytes = 0;
  Type type{'b', 8};
  bool is_external = false;
};
Declaration declaration_of(const std::string &text);

struct Piece {
  enum Kind { statement, label, open, close, line } kind;
  std::string text;
};

// Reads text piece by piece. A statement ends at its semicolon, a line such as .loc with its line.
class Reader {
public:
  explicit Reader(const std::string &read) : text(read) {}
  bool next(Piece &piece);
  // What stands before the next of these characters. It is passed over, too.
  std::string until(const char *characters, char *found = nullptr);
  // The text up to the brace that closes the one that was read last.
  std::string body();
  void blanks();
  bool at_end() const { return at >= text.size(); }
  char ahead() const { return at < text.size() ? text[at] : '\0'; }
  bool ahead(const char *word) const {
    return text.compare(at, std::char_traits<char>::length(word), word) == 0;
  }

private:
  const std::string &text;
  size_t at = 0;
  bool take_label(Piece &piece);
};

} // namespace ptx
