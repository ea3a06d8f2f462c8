// syntax.cc: takes PTX apart as text.
// SPDX-License-Identifier: BSD-3-Clause
#include "syntax.h"
#include "program.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace ptx {
namespace {

bool is_blank(char c) { return isspace(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return isdigit(static_cast<unsigned char>(c)); }
bool is_name(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

bool all_digits(const std::string &text, size_t from) {
  for (size_t i = from; i < text.size(); i++)
    if (!is_digit(text[i]))
      return false;
  return from < text.size();
}

// 0f3f800000 and 0d3ff0000000000000.
bool bits_of_real(const std::string &word, unsigned bytes, uint64_t &bits) {
  const bool is_float = word.size() == 10 && (word[1] == 'f' || word[1] == 'F');
  const bool is_double = word.size() == 18 && (word[1] == 'd' || word[1] == 'D');
  if (word[0] != '0' || (!is_float && !is_double))
    return false;
  bits = strtoull(word.c_str() + 2, nullptr, 16);
  if (is_float && bytes == 8) {
    const uint32_t narrow = static_cast<uint32_t>(bits);
    float value;
    memcpy(&value, &narrow, sizeof value);
    const double wide = value;
    memcpy(&bits, &wide, sizeof wide);
  }
  return true;
}

void bits_of_decimal(const std::string &word, unsigned bytes, uint64_t &bits) {
  const double wide = strtod(word.c_str(), nullptr);
  const float narrow = static_cast<float>(wide);
  bits = 0;
  if (bytes == 8)
    memcpy(&bits, &wide, sizeof wide);
  else
    memcpy(&bits, &narrow, sizeof narrow);
}

// name[2][32] is the name and a count of elements; name[] has none.
uint32_t count_of(Declaration &d, const std::string &word) {
  size_t bracket = word.find('[');
  uint32_t count = 1;
  d.name = word.substr(0, bracket);
  while (bracket != std::string::npos) {
    count *= static_cast<uint32_t>(strtoul(word.c_str() + bracket + 1, nullptr, 0));
    bracket = word.find('[', bracket + 1);
  }
  return count;
}

} // namespace

bool type_of(const std::string &word, Type &type) {
  if (word == "pred") {
    type = {'p', 0};
    return true;
  }
  if (word.size() < 2 || !strchr("busf", word[0]) || !all_digits(word, 1))
    return false;
  type = {word[0], static_cast<unsigned>(atoi(word.c_str() + 1))};
  return true;
}

std::string trimmed(const std::string &text) {
  size_t begin = 0, end = text.size();
  while (begin < end && is_blank(text[begin]))
    begin++;
  while (end > begin && is_blank(text[end - 1]))
    end--;
  return text.substr(begin, end - begin);
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char c : text) {
    depth += c == '{' || c == '[' || c == '(' ? 1 : c == '}' || c == ']' || c == ')' ? -1 : 0;
    if (c == separator && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty())
    parts.push_back(trimmed(part));
  return parts;
}

std::vector<std::string> words_of(const std::string &text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && !is_blank(text[end]))
      end++;
    if (end > at)
      words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool begins(const std::string &text, const char *with) { return text.compare(0, strlen(with), with) == 0; }

std::string without_comments(const std::string &text) {
  std::string rest;
  rest.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t slash = std::min(text.find('/', at), text.size());
    rest.append(text, at, slash - at);
    at = slash;
    if (text.compare(at, 2, "//") == 0) {
      at = text.find('\n', at);
    } else if (text.compare(at, 2, "/*") == 0) {
      at = text.find("*/", at);
      at = at == std::string::npos ? at : at + 2;
      rest += ' ';
    } else if (at < text.size()) {
      rest += text[at++];
    }
  }
  return rest;
}

bool number_of(const std::string &word, unsigned bytes, uint64_t &bits) {
  const bool negative = !word.empty() && word[0] == '-';
  if (word.size() <= negative || !is_digit(word[negative]))
    return false;
  if (bits_of_real(word, bytes, bits))
    return true;
  if (word.find('.') != std::string::npos) {
    bits_of_decimal(word, bytes, bits);
    return true;
  }
  const uint64_t magnitude = strtoull(word.c_str() + negative, nullptr, 0);
  bits = negative ? 0 - magnitude : magnitude;
  return true;
}

Declaration declaration_of(const std::string &text) {
  Declaration d;
  const size_t equals = text.find('=');
  if (equals != std::string::npos)
    d.values = trimmed(text.substr(equals + 1));
  uint32_t count = 1;
  bool has_alignment = false;
  const std::vector<std::string> words = words_of(text.substr(0, equals));
  for (size_t i = 0; i < words.size(); i++) {
    const std::string &word = words[i];
    if (word == ".align" && i + 1 < words.size()) {
      d.alignment = static_cast<unsigned>(atoi(words[++i].c_str()));
      has_alignment = true;
    } else if (word == ".extern") {
      d.is_external = true;
    } else if (word[0] != '.') {
      count = count_of(d, word);
    } else if (type_of(word.substr(1), d.type)) {
      d.element = d.type.bytes();
    } else if (word != ".visible" && word != ".weak" && word != ".ptr" && word != ".common") {
      d.space = word;
    }
  }
  d.bytes = d.element * count;
  if (!has_alignment)
    d.alignment = d.element;
  if (d.name.empty() || !d.element)
    throw Refusal("declaration that is not understood: " + text);
  return d;
}

void Reader::blanks() {
  while (at < text.size() && is_blank(text[at]))
    at++;
}

std::string Reader::until(const char *characters, char *found) {
  size_t end = text.find_first_of(characters, at);
  if (end == std::string::npos)
    end = text.size();
  std::string part = text.substr(at, end - at);
  if (found)
    *found = end < text.size() ? text[end] : '\0';
  at = end + 1;
  return part;
}

std::string Reader::body() {
  const size_t begin = at;
  int depth = 1;
  bool quoted = false;
  for (; at < text.size(); at++) {
    quoted ^= text[at] == '"';
    depth += quoted ? 0 : text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    if (!depth)
      break;
  }
  return text.substr(begin, at++ - begin);
}

bool Reader::take_label(Piece &piece) {
  size_t end = at;
  while (end < text.size() && is_name(text[end]))
    end++;
  size_t colon = end;
  while (colon < text.size() && is_blank(text[colon]))
    colon++;
  if (end == at || colon >= text.size() || text[colon] != ':')
    return false;
  piece = {Piece::label, text.substr(at, end - at)};
  at = colon + 1;
  return true;
}

bool Reader::next(Piece &piece) {
  blanks();
  if (at_end())
    return false;
  if (ahead() == '{' || ahead() == '}') {
    piece = {ahead() == '{' ? Piece::open : Piece::close, ""};
    at++;
  } else if (ahead(".loc ") || ahead(".loc\t") || ahead(".file")) {
    piece = {Piece::line, until("\n")};
  } else if (!take_label(piece)) {
    piece = {Piece::statement, trimmed(until(";"))};
  }
  return true;
}

} // namespace ptx
