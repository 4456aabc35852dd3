package redact

import (
	"bytes"
	"slices"
)

// A candidate is a value whose name says that it may be secret.
type candidate struct {
	*scanner
	name       name
	value      value
	word, text []byte // the name and the value
}

func (c *candidate) isStrong() bool { return c.name.class == strong }

func isQuoted(c *candidate) bool { return c.value.isQuoted }

func (c *candidate) isOneWord() bool { return bytes.IndexByte(c.text, ' ') < 0 }

func (c *candidate) isLinkedBy(signs ...sign) bool { return slices.Contains(signs, c.value.sign) }

// isMember reports whether the name is as likely that of a member or a variable as a word of a
// text.
func (c *candidate) isMember() bool {
	return c.isStrong() || c.name.class == header || c.value.isNameQuoted
}

// isLast reports whether a value ends its line, as in a file of settings. A path or a flag is not a
// secret there.
func (c *candidate) isLast() bool {
	return c.isStrong() && c.value.isLast && bytes.IndexByte(c.text, '.') < 0 && c.text[0] != '-'
}

// lineStarts match the beginning of a line up to the name: members of YAML, assignments and what
// sets a variable, in any quotes and colours.
var lineStarts = lazily(`(?:\A|\n|\\n)[ \t+$>"'|\\*;:/_-]*(?:(?:export|ENV|ARG|set|set -\w+(?: -g)?|setx|setenv|SetEnv|declare -x|local|const|let|var|machine|default|define|` +
	`(?:(?:aws configure|npm config|yarn config|config) set)|(?:machine|default) .*)[ \t"']+)?(?:[^\n]{0,16}\x1b\[[\d;]*m)?[ \t+$>"'|\\*;:/_-]*\z`)

// beginsLine reports whether nothing else stands before the name in its line.
func (c *candidate) beginsLine() bool {
	return lineStarts().Match(c.scanner.text[max(0, c.name.start-48):c.name.start])
}

func isHeader(c *candidate) bool {
	return c.name.class == header && !c.value.isQuoted && c.isLinkedBy(equals, colon)
}

// schemes begin the value of a header that is a credential.
var schemes = lazily(`\A(?i:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk|signature)[ +:]\S`)

// isCredential reports whether the rest of a header's line has a number, a pair or a known scheme.
// Sentences about the header have none.
func isCredential(c *candidate) bool {
	return len(c.text) > 3 && !c.value.isCall && (bytes.ContainsAny(c.text, digits+"=") || schemes().Match(c.text))
}

// standsIn reports whether a value only says where the secret belongs, or is the variable that has
// it. "PASS:" is how tests report.
func standsIn(c *candidate) bool {
	return isPlaceholder(c.text) || c.namesItself() || string(c.word) == "PASS" && c.value.sign == colon
}

// namesItself reports whether a value is a variable that is named like a secret, as
// settings.API_KEY is.
func (c *candidate) namesItself() bool {
	return len(c.text) <= maxName && !bytes.ContainsAny(c.text, "0123456789!@#%^&*+/=") && c.classify(c.text) != ordinary
}

func isOfWeakName(c *candidate) bool { return c.name.class == likely || c.name.class == keyed }

// isRandom reports whether the value itself is proof enough for a weak name.
func isRandom(c *candidate) bool {
	isCode := c.value.isCall && !c.value.isQuoted
	return !isCode && !c.isLinkedBy(blank, comparison) && (isKey(c.text) || c.name.class == likely && looksMade(c.text))
}

func isMade(c *candidate) bool { return looksMade(c.text) }

// isNotCode reports whether a value is not the name of a function, an argument, a pointer or a
// flag.
func isNotCode(c *candidate) bool {
	return c.value.isQuoted || !c.value.isCall && !c.isLinkedBy(bracket, comma) && c.text[0] != '*' && c.text[0] != '-'
}

func isCall(c *candidate) bool { return c.value.isCall }

// isQuotedWithName reports whether name and value are both in quotes: that is data, not a program.
func isQuotedWithName(c *candidate) bool { return c.value.isQuoted && c.value.isNameQuoted }

// isInSentence reports whether the name is a word that texts use, and what follows may be the next
// word.
func isInSentence(c *candidate) bool {
	return c.name.class == prose && !c.name.isFlag && (c.value.sign == blank || c.value.sign == colon && !c.value.isNameQuoted)
}

// getters are functions with the name of a secret, not the secret, in their brackets.
var getters = lazily(`(?i:^|\.|_)(?i:get|read|fetch|load|find|ask|prompt|input|has|is|check|validate|verify|new|make|create|parse|test|delete|remove|reset|describe|it)[_A-Z]`)

// isArgument reports whether a function is given the secret, and does not only look it up by its
// name.
func isArgument(c *candidate) bool {
	isFirst := c.isStrong() && c.value.sign == bracket
	return c.value.isQuoted && c.isOneWord() && !getters().Match(c.word) && (isFirst || c.name.opened == '(')
}

func isElement(c *candidate) bool { return c.name.opened == '<' || c.value.isNameQuoted }

func isStrongWord(c *candidate) bool { return c.isStrong() && c.isOneWord() }

func isStrongQuote(c *candidate) bool { return c.value.isQuoted && isStrongWord(c) }

func isQuotedOrLast(c *candidate) bool { return c.value.isQuoted || c.isLast() }

// setters match what sets a variable to the word after its name.
var setters = lazily(`(?:ENV|set -\w+(?: -g)?|setx|setenv|SetEnv|config set|configure set)[ \t"']+\z`)

// isSet reports whether a line that has only a name and a word sets what has the name. After the
// name of a variable the word may be one of a sentence, as in "set FOO_API_KEY first".
func (c *candidate) isSet() bool {
	isVariable := bytes.IndexByte(c.word, '_') > 0 && !bytes.ContainsAny(c.word, lower)
	before := c.scanner.text[max(0, c.name.start-48):c.name.start]
	return c.isLast() && c.beginsLine() && (!isVariable || setters().Match(before))
}

// isCommand reports whether name and value are in quotes, a flag, or all of a line of settings.
func isCommand(c *candidate) bool {
	isOfFlag := c.name.isFlag && (c.value.isQuoted || len(c.text) >= 8 && c.text[0] != '-')
	return isStrongQuote(c) || isOfFlag || c.isSet()
}

// isAssigned reports whether quotes hold a value: texts, too, have quotes after a word.
func isAssigned(c *candidate) bool {
	return c.isMember() || c.value.sign == equals && !c.value.isSignSpaced
}

func isNumber(c *candidate) bool { return isDecimal(c.text) }

// isLongNumber reports whether a number is too long to count something.
func isLongNumber(c *candidate) bool {
	return c.isMember() && !c.value.isSpaced || len(c.text) > 5 || c.isStrong() && len(c.text) > 3
}

func isVariable(c *candidate) bool {
	return c.value.sign == equals && !c.value.isSignSpaced && !c.value.isSpaced
}

// isValueOfVariable reports whether a value is not a path, as a variable with a weaker name may
// have.
func isValueOfVariable(c *candidate) bool {
	return c.isStrong() || c.name.class == header || c.text[0] != '/' && (c.name.class == prose || c.word[0]|0x20 == 'p')
}

func isTightMember(c *candidate) bool {
	return c.isMember() && !c.value.isSpaced && c.value.sign == colon
}

// isNotName reports whether a value is not a name of a program, such as a type.
func isNotName(c *candidate) bool { return !isName(c.text) }

// isLineOfItsOwn reports whether name and value are all of a line, or the name is of several words.
func isLineOfItsOwn(c *candidate) bool {
	return c.isLast() && (c.beginsLine() || bytes.ContainsAny(c.word, "_."))
}
