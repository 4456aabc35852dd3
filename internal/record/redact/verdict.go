package redact

import (
	"bytes"
	"slices"
	"strings"
)

// A verdict decides about some of the assignments.
type verdict struct {
	isFor    condition
	isSecret condition
	hidden   string // an example of a secret
	kept     string // an example of what is not a secret
}

// verdicts are in order: the first that is for an assignment decides.
var verdicts = []verdict{
	{isHeader, isCredential, "Cookie: sid=WORD", "authorization: required"},
	{standsIn, never, "", "password = $OTHER"},
	{isOfWeakName, isRandom, "passwordOfBob: a1b2c3d4", "passwordOfBob: WORD"},
	{isMade, isNotCode, "password is a1b2c3d4", "password(a1b2c3d4)"},
	{isCall, isQuotedWithName, `"password": f("WORD")`, `password = f("WORD")`},
	{isInSentence, never, "", "token: WORD"},
	{follows(bracket, comma), isArgument, `setPassword("WORD")`, `getPassword("WORD")`},
	{follows(tagEnd), isElement, "<password>WORD</password>", "a password> WORD"},
	{follows(border), isStrongWord, "| password | WORD |", "| password | WORD of WORD |"},
	{follows(valueWord), isQuotedOrLast, `<add key="password" value="WORD"/>`, "key: password\nvalue: WORD or not"},
	{follows(blank), isCommand, "export --password WORD", "the password WORD"},
	{follows(comparison, tags), isStrongQuote, `password == "WORD"`, "password == WORD"},
	{isQuoted, isAssigned, `password: "WORD"`, `a token = "WORD"`},
	{isNumber, isLongNumber, "password: 12345", "password: 123"},
	{isVariable, isValueOfVariable, "password=WORD", "--token=/WORD"},
	{isTightMember, isNotName, "password:open-WORD", "password:WORD"},
	{always, isLineOfItsOwn, "password: WORD", "a password: WORD"},
}

// A condition is something that an assignment meets or not.
type condition func(a *assignment) bool

// An assignment is a name that may be that of a secret, and the value that a text gives it.
type assignment struct {
	*scanner
	name       foundName
	value      foundValue
	word, text []byte // the name and the value
}

// isSecret reports whether a value is the secret that its name says, not a word of a text, a type
// or a part of a program.
func (a *assignment) isSecret() bool {
	i := slices.IndexFunc(verdicts, func(v verdict) bool { return v.isFor(a) })
	return verdicts[i].isSecret(a)
}

func always(*assignment) bool { return true }

func never(*assignment) bool { return false }

func follows(signs ...sign) condition {
	return func(a *assignment) bool { return a.isLinkedBy(signs...) }
}

func (a *assignment) isStrong() bool { return a.name.class == strong }

func isQuoted(a *assignment) bool { return a.value.isQuoted }

func (a *assignment) isOneWord() bool { return bytes.IndexByte(a.text, ' ') < 0 }

func (a *assignment) isLinkedBy(signs ...sign) bool { return slices.Contains(signs, a.value.sign) }

// isMember reports whether the name is as likely that of a member or a variable as a word of a
// text.
func (a *assignment) isMember() bool {
	return a.isStrong() || a.name.class == header || a.value.isNameQuoted
}

// isLast reports whether a value ends its line, as in a file of settings. A path or a flag is not a
// secret there.
func (a *assignment) isLast() bool {
	return a.isStrong() && a.value.isLast && bytes.IndexByte(a.text, '.') < 0 && a.text[0] != '-'
}

// lineStarts match the beginning of a line up to the name: members of YAML, assignments and what
// sets a variable, in any quotes and colours.
var lineStarts = lazily(`(?:\A|\n|\\n)[ \t+$>"'|\\*;:/_-]*(?:(?:export|ENV|ARG|set|set -\w+(?: -g)?|setx|setenv|SetEnv|declare -x|local|const|let|var|machine|default|define|` +
	`(?:(?:aws configure|npm config|yarn config|config) set)|(?:machine|default) .*)[ \t"']+)?(?:[^\n]{0,16}\x1b\[[\d;]*m)?[ \t+$>"'|\\*;:/_-]*\z`)

// beginsLine reports whether nothing else stands before the name in its line.
func (a *assignment) beginsLine() bool {
	return lineStarts().Match(a.scanner.text[max(0, a.name.start-48):a.name.start])
}

func isHeader(a *assignment) bool {
	return a.name.class == header && !a.value.isQuoted && a.isLinkedBy(equals, colon)
}

// schemes begin the value of a header that is a credential.
var schemes = lazily(`\A(?i:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk|signature)[ +:]\S`)

// isCredential reports whether the rest of a header's line has a number, a pair or a known scheme.
// Sentences about the header have none.
func isCredential(a *assignment) bool {
	return len(a.text) > 3 && !a.value.isCall && (bytes.ContainsAny(a.text, digits+"=") || schemes().Match(a.text))
}

// standsIn reports whether a value only says where the secret belongs, or is the variable that has
// it. "PASS:" is how tests report.
func standsIn(a *assignment) bool {
	return isPlaceholder(a.text) || a.namesItself() || string(a.word) == "PASS" && a.value.sign == colon
}

// namesItself reports whether a value is a variable that is named like a secret, as
// settings.API_KEY is.
func (a *assignment) namesItself() bool {
	return len(a.text) <= maxName && !bytes.ContainsAny(a.text, "0123456789!@#%^&*+/=") && a.classify(a.text) != ordinary
}

func isOfWeakName(a *assignment) bool { return a.name.class == likely || a.name.class == keyed }

// isRandom reports whether the value itself is proof enough for a weak name.
func isRandom(a *assignment) bool {
	isCode := a.value.isCall && !a.value.isQuoted
	return !isCode && !a.isLinkedBy(blank, comparison) && (isKey(a.text) || a.name.class == likely && looksMade(a.text))
}

func isMade(a *assignment) bool { return looksMade(a.text) }

// isNotCode reports whether a value is not the name of a function, an argument, a pointer or a
// flag.
func isNotCode(a *assignment) bool {
	return a.value.isQuoted || !a.value.isCall && !a.isLinkedBy(bracket, comma) && a.text[0] != '*' && a.text[0] != '-'
}

func isCall(a *assignment) bool { return a.value.isCall }

// isQuotedWithName reports whether name and value are both in quotes: that is data, not a program.
func isQuotedWithName(a *assignment) bool { return a.value.isQuoted && a.value.isNameQuoted }

// isInSentence reports whether the name is a word that texts use, and what follows may be the next
// word.
func isInSentence(a *assignment) bool {
	return a.name.class == prose && !a.name.isFlag && (a.value.sign == blank || a.value.sign == colon && !a.value.isNameQuoted)
}

// getters are functions with the name of a secret, not the secret, in their brackets.
var getters = lazily(`(?i:^|\.|_)(?i:get|read|fetch|load|find|ask|prompt|input|has|is|check|validate|verify|new|make|create|parse|test|delete|remove|reset|describe|it)[_A-Z]`)

// isArgument reports whether a function is given the secret, and does not only look it up by its
// name.
func isArgument(a *assignment) bool {
	isFirst := a.isStrong() && a.value.sign == bracket
	return a.value.isQuoted && a.isOneWord() && !getters().Match(a.word) && (isFirst || a.name.opened == '(')
}

func isElement(a *assignment) bool { return a.name.opened == '<' || a.value.isNameQuoted }

func isStrongWord(a *assignment) bool { return a.isStrong() && a.isOneWord() }

func isStrongQuote(a *assignment) bool { return a.value.isQuoted && isStrongWord(a) }

func isQuotedOrLast(a *assignment) bool { return a.value.isQuoted || a.isLast() }

// setters match what sets a variable to the word after its name.
var setters = lazily(`(?:ENV|set -\w+(?: -g)?|setx|setenv|SetEnv|config set|configure set)[ \t"']+\z`)

// isSet reports whether a line that has only a name and a word sets what has the name. After the
// name of a variable the word may be one of a sentence, as in "set FOO_API_KEY first".
func (a *assignment) isSet() bool {
	isVariable := bytes.IndexByte(a.word, '_') > 0 && !bytes.ContainsAny(a.word, lower)
	before := a.scanner.text[max(0, a.name.start-48):a.name.start]
	return a.isLast() && a.beginsLine() && (!isVariable || setters().Match(before))
}

// isCommand reports whether name and value are in quotes, a flag, or all of a line of settings.
func isCommand(a *assignment) bool {
	isOfFlag := a.name.isFlag && (a.value.isQuoted || len(a.text) >= 8 && a.text[0] != '-')
	return isStrongQuote(a) || isOfFlag || a.isSet()
}

// isAssigned reports whether quotes hold a value: texts, too, have quotes after a word.
func isAssigned(a *assignment) bool {
	return a.isMember() || a.value.sign == equals && !a.value.isSignSpaced
}

func isNumber(a *assignment) bool { return isDecimal(a.text) }

// isLongNumber reports whether a number is too long to count something.
func isLongNumber(a *assignment) bool {
	return a.isMember() && !a.value.isSpaced || len(a.text) > 5 || a.isStrong() && len(a.text) > 3
}

func isVariable(a *assignment) bool {
	return a.value.sign == equals && !a.value.isSignSpaced && !a.value.isSpaced
}

// isValueOfVariable reports whether a value is not a path, as a variable with a weaker name may
// have.
func isValueOfVariable(a *assignment) bool {
	return a.isStrong() || a.name.class == header || a.text[0] != '/' && (a.name.class == prose || a.word[0]|0x20 == 'p')
}

func isTightMember(a *assignment) bool {
	return a.isMember() && !a.value.isSpaced && a.value.sign == colon
}

// isNotName reports whether a value is not a name of a program, such as a type.
func isNotName(a *assignment) bool { return !isIdentifier(a.text) }

// isLineOfItsOwn reports whether name and value are all of a line, or the name is of several words.
func isLineOfItsOwn(a *assignment) bool {
	return a.isLast() && (a.beginsLine() || bytes.ContainsAny(a.word, "_."))
}

var (
	switches = lazily(`^(?:0|1|true|false|yes|no|on|off)$`)
	// plainValues are paths, or are made of words and small numbers.
	plainValues = lazily(`^(?:[/~.\\](?:[A-Za-z0-9]{0,39}[^A-Za-z0-9@\\])*[A-Za-z0-9]{0,39}|(?:(?:[A-Za-z]+|[0-9]+|[A-Za-z0-9]{1,8})(?:[^A-Za-z0-9@\\]+|$)){0,16})$`)
)

// isHarmless reports whether a variable or a header may be read by anybody: the value is a switch,
// or the name is one of those that hold no secrets and the value is plain.
func isHarmless(name, value []byte) bool {
	n := string(bytes.ToLower(name))
	isPublic := knownNames().harmlessNames.Match(n) || knownNames().harmlessLastWords.Match(n)
	return switches().Match(value) || isPublic && len(value) < sure && plainValues().Match(value)
}

// placeholders match what stands where a secret would.
var placeholders = lazily(`^(?:x{3,}|X{3,}|\*+|\.+|-+|_+|…+|•+|\$\{.*|\$\(.*|\$[a-z_]+|\$[A-Z_][A-Z0-9_]*|\{\{.*|%[a-z]|%[A-Z_]+%|<[^<>]*>|\{[a-z_]*\}|(?i:your)[-_ ].*)$`)

// isPlaceholder reports whether a value only stands where one would: a type, a word of a language,
// a variable.
func isPlaceholder(value []byte) bool {
	value = bytes.TrimRight(value[:min(len(value), maxName+1)], "!?[]")
	return len(value) <= maxName && (knownNames().placeholders[strings.ToLower(string(value))] || placeholders().Match(value))
}

// looksMade reports whether a value was made by a program or with care, as secrets are. It is not a
// word or a path: it has digits or signs among its letters, or capitals that no name has.
func looksMade(value []byte) bool {
	head := value[:min(len(value), sure)]
	hasDigit, hasLetter := bytes.ContainsAny(head, digits), bytes.ContainsAny(head, letters)
	hasSign := bytes.ContainsAny(head[:max(1, len(head))-1], "!@#$%^&+~=?")
	switch {
	case len(head) < 6, bytes.IndexByte(head, ' ') >= 0, bytes.Contains(head, []byte("://")):
		return false
	case !hasSign && strings.IndexByte("/.~<(", head[0]) >= 0 && bytes.IndexByte(head, '/') >= 0: // a path
		return false
	case !hasLetter:
		return hasDigit && len(head) >= 12
	}
	return hasDigit || hasSign && len(head) >= 8 || isOpaque(head) && len(head) >= 16
}

// isOpaque reports whether a value is neither made of words nor a number: at least a fifth of its
// letters and digits follow one of another kind. The kinds are capitals, small letters and digits.
func isOpaque(value []byte) bool {
	changes, n, last := 0, 0, byte(0)
	for _, c := range value[:min(len(value), sure)] {
		if isAlnum(c) {
			if n++; n > 1 && c&0x60 != last { // the bits that tell these kinds apart
				changes++
			}
			last = c & 0x60
		}
	}
	return changes*5 >= n && n >= 8
}

// isKey reports whether a value is as long and opaque as a key.
func isKey(value []byte) bool { return len(value) >= 16 && looksMade(value) && isOpaque(value) }
