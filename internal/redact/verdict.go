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

// A verdict decides about the candidates that its condition is for.
type verdict struct {
	isFor    func(c *candidate) bool
	isSecret func(c *candidate) bool
	hidden   string // an example of a secret, WORD or a1b2c3d4
	kept     string // an example of what is not a secret
}

// verdicts are in order: the first that is for a candidate decides.
var verdicts = []verdict{
	{(*candidate).isHeader, (*candidate).isCredential, "Cookie: sid=WORD", "authorization: required"},
	{(*candidate).standsIn, never, "", "password = $OTHER"},
	{(*candidate).isOfWeakName, (*candidate).isRandom, "passwordOfBob: a1b2c3d4", "passwordOfBob: WORD"},
	{(*candidate).looksMade, (*candidate).isNoCode, "password is a1b2c3d4", "password(a1b2c3d4)"},
	{(*candidate).isCall, (*candidate).isQuotedLikeName, `"password": f("WORD")`, `password = f("WORD")`},
	{(*candidate).isInSentence, never, "", "token: WORD"},
	{follows(bracket, comma), (*candidate).isArgument, `setPassword("WORD")`, `getPassword("WORD")`},
	{follows(tagEnd), (*candidate).isElement, "<password>WORD</password>", "a password> WORD"},
	{follows(border), (*candidate).isStrongWord, "| password | WORD |", "| password | WORD of WORD |"},
	{follows(valueWord), (*candidate).isQuotedOrLast, `<add key="password" value="WORD"/>`, "key: password\nvalue: WORD or not"},
	{follows(blank), (*candidate).isCommand, "export --password WORD", "the password WORD"},
	{follows(comparison, tags), (*candidate).isStrongQuote, `password == "WORD"`, "password == WORD"},
	{(*candidate).isQuoted, (*candidate).isAssigned, `password: "WORD"`, `a token = "WORD"`},
	{(*candidate).isNumber, (*candidate).isLongNumber, "password: 12345", "password: 123"},
	{(*candidate).isVariable, (*candidate).isValueOfVariable, "password=WORD", "--token=/WORD"},
	{(*candidate).isTightMember, (*candidate).isNoName, "password:open-WORD", "password:WORD"},
	{always, (*candidate).isLineOfItsOwn, "password: WORD", "a password: WORD"},
}

// isSecret reports whether a value is the secret that its name says, not a word of a text, a type or a
// part of a program.
func (c *candidate) isSecret() bool {
	i := slices.IndexFunc(verdicts, func(v verdict) bool { return v.isFor(c) })
	return verdicts[i].isSecret(c)
}

func always(*candidate) bool { return true }

func never(*candidate) bool { return false }

func follows(signs ...sign) func(c *candidate) bool {
	return func(c *candidate) bool { return slices.Contains(signs, c.value.sign) }
}

func (c *candidate) isStrong() bool { return c.name.class == strong }

func (c *candidate) isQuoted() bool { return c.value.quoted }

func (c *candidate) isOneWord() bool { return bytes.IndexByte(c.text, ' ') < 0 }

func (c *candidate) isLinkedBy(signs ...sign) bool { return slices.Contains(signs, c.value.sign) }

// isMember reports whether the name is as likely that of a member or a variable as a word of a text.
func (c *candidate) isMember() bool {
	return c.isStrong() || c.name.class == header || c.value.nameQuoted
}

// isLast reports whether a value ends its line, as in a file of settings. A path or a flag is not a secret
// there.
func (c *candidate) isLast() bool {
	return c.isStrong() && c.value.isLast && bytes.IndexByte(c.text, '.') < 0 && c.text[0] != '-'
}

// lineStarts match the beginning of a line up to the name: members of YAML, assignments and what sets a
// variable, in any quotes and colours.
var lineStarts = lazily(`(?:\A|\n|\\n)[ \t+$>"'|\\*;:/_-]*(?:(?:export|ENV|ARG|set|set -\w+(?: -g)?|setx|setenv|SetEnv|declare -x|local|const|let|var|machine|default|define|` +
	`(?:(?:aws configure|npm config|yarn config|config) set)|(?:machine|default) .*)[ \t"']+)?(?:[^\n]{0,16}\x1b\[[\d;]*m)?[ \t+$>"'|\\*;:/_-]*\z`)

// beginsLine reports whether nothing else stands before the name in its line.
func (c *candidate) beginsLine() bool {
	return lineStarts().Match(c.scanner.text[max(0, c.name.start-48):c.name.start])
}

func (c *candidate) isHeader() bool {
	return c.name.class == header && !c.value.quoted && c.isLinkedBy(equals, colon)
}

// schemes begin the value of a header that is a credential.
var schemes = lazily(`\A(?i:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk|signature)[ +:]\S`)

// isCredential reports whether the rest of a header's line has a number, a pair or a known scheme. Sentences
// about the header have none.
func (c *candidate) isCredential() bool {
	return len(c.text) > 3 && !c.value.isCall && (bytes.ContainsAny(c.text, digits+"=") || schemes().Match(c.text))
}

// standsIn reports whether a value only says where the secret belongs, or is the variable that has it.
// "PASS:" is how tests report.
func (c *candidate) standsIn() bool {
	return isPlaceholder(c.text) || c.namesItself() || string(c.word) == "PASS" && c.value.sign == colon
}

// namesItself reports whether a value is a variable that is named like a secret, as settings.API_KEY is.
func (c *candidate) namesItself() bool {
	return len(c.text) <= maxName && !bytes.ContainsAny(c.text, "0123456789!@#%^&*+/=") && c.classify(c.text) != ordinary
}

func (c *candidate) isOfWeakName() bool { return c.name.class == likely || c.name.class == keyed }

// isRandom is the proof that a weak name needs.
func (c *candidate) isRandom() bool {
	isCode := c.value.isCall && !c.value.quoted
	return !isCode && !c.isLinkedBy(blank, comparison) && looksMade(c.text) &&
		(c.name.class == likely || len(c.text) >= 16 && isOpaque(c.text))
}

func (c *candidate) looksMade() bool { return looksMade(c.text) }

// isNoCode reports whether a value is not the name of a function, an argument, a pointer or a flag.
func (c *candidate) isNoCode() bool {
	return c.value.quoted || !c.value.isCall && !c.isLinkedBy(bracket, comma) && c.text[0] != '*' && c.text[0] != '-'
}

func (c *candidate) isCall() bool { return c.value.isCall }

// isQuotedLikeName reports whether name and value are both in quotes: that is data, not a program.
func (c *candidate) isQuotedLikeName() bool { return c.value.quoted && c.value.nameQuoted }

// isInSentence reports whether the name is a word that texts use, and what follows may be the next word.
func (c *candidate) isInSentence() bool {
	return c.name.class == prose && !c.name.isFlag && (c.value.sign == blank || c.value.sign == colon && !c.value.nameQuoted)
}

// getters are functions with the name of a secret, not the secret, in their brackets.
var getters = lazily(`(?i:^|\.|_)(?i:get|read|fetch|load|find|ask|prompt|input|has|is|check|validate|verify|new|make|create|parse|test|delete|remove|reset|describe|it)[_A-Z]`)

// isArgument reports whether a function is given the secret, and does not only look it up by its name.
func (c *candidate) isArgument() bool {
	isFirst := c.isStrong() && c.value.sign == bracket
	return c.value.quoted && c.isOneWord() && !getters().Match(c.word) && (isFirst || c.name.opened == '(')
}

func (c *candidate) isElement() bool { return c.name.opened == '<' || c.value.nameQuoted }

func (c *candidate) isStrongWord() bool { return c.isStrong() && c.isOneWord() }

func (c *candidate) isStrongQuote() bool { return c.value.quoted && c.isStrongWord() }

func (c *candidate) isQuotedOrLast() bool { return c.value.quoted || c.isLast() }

// isCommand reports whether name and value are in quotes, a flag, or all of a line of settings.
func (c *candidate) isCommand() bool {
	isOfFlag := c.name.isFlag && (c.value.quoted || len(c.text) >= 8 && c.text[0] != '-')
	return c.isStrongQuote() || isOfFlag || c.isLast() && c.beginsLine()
}

// isAssigned reports whether quotes hold a value: texts, too, have quotes after a word.
func (c *candidate) isAssigned() bool {
	return c.isMember() || c.value.sign == equals && !c.value.signSpaced
}

func (c *candidate) isNumber() bool { return isDecimal(c.text) }

// isLongNumber reports whether a number is too long to count something.
func (c *candidate) isLongNumber() bool {
	return c.isMember() && !c.value.spaced || len(c.text) > 5 || c.isStrong() && len(c.text) > 3
}

func (c *candidate) isVariable() bool {
	return c.value.sign == equals && !c.value.signSpaced && !c.value.spaced
}

// isValueOfVariable reports whether a value is not a path, as a variable with a weaker name may have.
func (c *candidate) isValueOfVariable() bool {
	return c.isStrong() || c.name.class == header || c.text[0] != '/' && (c.name.class == prose || c.word[0]|0x20 == 'p')
}

func (c *candidate) isTightMember() bool {
	return c.isMember() && !c.value.spaced && c.value.sign == colon
}

// isNoName reports whether a value is not a name of a program, such as a type.
func (c *candidate) isNoName() bool { return !isName(c.text) }

// isLineOfItsOwn reports whether name and value are all of a line, or the name is of several words.
func (c *candidate) isLineOfItsOwn() bool {
	return c.isLast() && (c.beginsLine() || bytes.ContainsAny(c.word, "_."))
}
