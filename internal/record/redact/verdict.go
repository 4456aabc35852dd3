package redact

import (
	"bytes"
	"slices"
	"strings"
)

// A verdict decides about the assignments that it applies to.
type verdict struct {
	applies       condition
	isSecret      condition
	secretExample string // an example of a secret
	plainExample  string // an example of what is not a secret
}

// verdicts is in order: the first one that applies decides.
var verdicts = []verdict{
	{isHeader, isCredential, "Cookie: sid=WORD", "authorization: required"},
	{isStandIn, never, "", "password = $OTHER"},
	{isOfWeakName, isRandom, "passwordOfBob: a1b2c3d4", "passwordOfBob: WORD"},
	{isGenerated, isNotCode, "password is a1b2c3d4", "password(a1b2c3d4)"},
	{isCall, isQuotedWithName, `"password": f("WORD")`, `password = f("WORD")`},
	{isInSentence, never, "", "token: WORD"},
	{isAfter(bracket, comma), isArgument, `setPassword("WORD")`, `getPassword("WORD")`},
	{isAfter(tagEnd), isElement, "<password>WORD</password>", "a password> WORD"},
	{isAfter(border), isStrongWord, "| password | WORD |", "| password | WORD of WORD |"},
	{isAfter(valueWord), isQuotedOrLast, `<add key="password" value="WORD"/>`, "key: password\nvalue: WORD or not"},
	{isAfter(blank), isCommand, "export --password WORD", "the password WORD"},
	{isAfter(comparison, tags), isStrongQuote, `password == "WORD"`, "password == WORD"},
	{isQuoted, isAssigned, `password: "WORD"`, `a token = "WORD"`},
	{isNumber, isLongNumber, "password: 12345", "password: 123"},
	{isVariable, isValueOfVariable, "password=WORD", "--token=/WORD"},
	{isTightMember, isNotName, "password:open-WORD", "password:WORD"},
	{always, isLineOfItsOwn, "password: WORD", "a password: WORD"},
}

// A condition reports whether an assignment meets it.
type condition func(a *assignment) bool

// An assignment is a name that may be a secret's name, with its value in a text.
type assignment struct {
	*scanner
	name       foundName
	value      foundValue
	word, text []byte // the texts of the name and of the value
}

// isSecret reports whether the value is a secret, and not a word of a sentence, a type or a part of
// a program.
func (a *assignment) isSecret() bool {
	i := slices.IndexFunc(verdicts, func(v verdict) bool { return v.applies(a) })
	return verdicts[i].isSecret(a)
}

func always(*assignment) bool { return true }

func never(*assignment) bool { return false }

func isAfter(signs ...sign) condition {
	return func(a *assignment) bool { return a.isLinkedBy(signs...) }
}

func (a *assignment) isStrong() bool { return a.name.class == strong }

func isQuoted(a *assignment) bool { return a.value.isQuoted }

func (a *assignment) isOneWord() bool { return bytes.IndexByte(a.text, ' ') < 0 }

func (a *assignment) isLinkedBy(signs ...sign) bool { return slices.Contains(signs, a.value.sign) }

// isMember reports whether the name may be a member or a variable, and not only a word of a
// sentence.
func (a *assignment) isMember() bool {
	return a.isStrong() || a.name.class == header || a.value.isNameQuoted
}

// isLast reports whether the value of a strong name ends its line, as in a file of settings. A path
// or a flag at the end of a line is not a secret.
func (a *assignment) isLast() bool {
	return a.isStrong() && a.value.isLast && bytes.IndexByte(a.text, '.') < 0 && a.text[0] != '-'
}

// lineStarts matches a line up to the name of a YAML member or of an assignment, with any quotes
// and colours. It includes commands that set a variable.
var lineStarts = lazily(`(?:\A|\n|\\n)[ \t+$>"'|\\*;:/_-]*(?:(?:export|ENV|ARG|set|set -\w+(?: -g)?|setx|setenv|SetEnv|declare -x|local|const|let|var|machine|default|define|` +
	`(?:(?:aws configure|npm config|yarn config|config) set)|(?:machine|default) .*)[ \t"']+)?(?:[^\n]{0,16}\x1b\[[\d;]*m)?[ \t+$>"'|\\*;:/_-]*\z`)

// beginsLine reports whether the name is the first thing in its line.
func (a *assignment) beginsLine() bool {
	return lineStarts().Match(a.scanner.text[max(0, a.name.start-48):a.name.start])
}

func isHeader(a *assignment) bool {
	return a.name.class == header && !a.value.isQuoted && a.isLinkedBy(equals, colon)
}

// schemes matches the beginning of a header's value that is a credential.
var schemes = lazily(`\A(?i:bearer|basic|digest|token|apikey|negotiate|ntlm|aws4-hmac-sha256|hawk|signature)[ +:]\S`)

// isCredential reports whether the rest of a header's line has a number, a pair or a known scheme.
// Sentences about the header do not.
func isCredential(a *assignment) bool {
	return len(a.text) > 3 && !a.value.isCall && (bytes.ContainsAny(a.text, digits+"=") || schemes().Match(a.text))
}

// isStandIn reports whether a value only takes the place of the secret, or is the variable that has
// it. "PASS:" is the output of tests.
func isStandIn(a *assignment) bool {
	return isPlaceholder(a.text) || a.namesItself() || string(a.word) == "PASS" && a.value.sign == colon
}

// namesItself reports whether the value is a variable with a secret name, such as settings.API_KEY.
func (a *assignment) namesItself() bool {
	return len(a.text) <= maxName && !bytes.ContainsAny(a.text, "0123456789!@#%^&*+/=") && a.classify(a.text) != ordinary
}

func isOfWeakName(a *assignment) bool { return a.name.class == likely || a.name.class == keyed }

// isRandom reports whether the value alone shows that it is a secret, because the name is weak.
func isRandom(a *assignment) bool {
	isCode := a.value.isCall && !a.value.isQuoted
	return !isCode && !a.isLinkedBy(blank, comparison) && (isKey(a.text) || a.name.class == likely && looksGenerated(a.text))
}

func isGenerated(a *assignment) bool { return looksGenerated(a.text) }

// isNotCode reports whether a value is not a function's name, an argument, a pointer or a flag.
func isNotCode(a *assignment) bool {
	return a.value.isQuoted || !a.value.isCall && !a.isLinkedBy(bracket, comma) && a.text[0] != '*' && a.text[0] != '-'
}

func isCall(a *assignment) bool { return a.value.isCall }

// isQuotedWithName reports whether both name and value are in quotes. Then they are data, not code.
func isQuotedWithName(a *assignment) bool { return a.value.isQuoted && a.value.isNameQuoted }

// isInSentence reports whether the name is a word of sentences, and the value may be the next word.
func isInSentence(a *assignment) bool {
	return a.name.class == prose && !a.name.isFlag && (a.value.sign == blank || a.value.sign == colon && !a.value.isNameQuoted)
}

// getters matches functions with a secret name that do not get the secret as an argument.
var getters = lazily(`(?i:^|\.|_)(?i:get|read|fetch|load|find|ask|prompt|input|has|is|check|validate|verify|new|make|create|parse|test|delete|remove|reset|describe|it)[_A-Z]`)

// isArgument reports whether the value is the secret that a function gets, and not a name to look
// it up by.
func isArgument(a *assignment) bool {
	isFirst := a.isStrong() && a.value.sign == bracket
	return a.value.isQuoted && a.isOneWord() && !getters().Match(a.word) && (isFirst || a.name.opened == '(')
}

func isElement(a *assignment) bool { return a.name.opened == '<' || a.value.isNameQuoted }

func isStrongWord(a *assignment) bool { return a.isStrong() && a.isOneWord() }

func isStrongQuote(a *assignment) bool { return a.value.isQuoted && isStrongWord(a) }

func isQuotedOrLast(a *assignment) bool { return a.value.isQuoted || a.isLast() }

// setters matches commands that set a variable to the word after its name.
var setters = lazily(`(?:ENV|set -\w+(?: -g)?|setx|setenv|SetEnv|config set|configure set)[ \t"']+\z`)

// isSet reports whether a line with only a name and a word sets the name. The word after a variable
// may belong to a sentence, as in "set FOO_API_KEY first", so a variable needs a command that sets
// it.
func (a *assignment) isSet() bool {
	isVariable := bytes.IndexByte(a.word, '_') > 0 && !bytes.ContainsAny(a.word, lower)
	before := a.scanner.text[max(0, a.name.start-48):a.name.start]
	return a.isLast() && a.beginsLine() && (!isVariable || setters().Match(before))
}

// isCommand reports whether name and value are quoted, a flag with its value, or a whole line of
// settings.
func isCommand(a *assignment) bool {
	isOfFlag := a.name.isFlag && (a.value.isQuoted || len(a.text) >= 8 && a.text[0] != '-')
	return isStrongQuote(a) || isOfFlag || a.isSet()
}

// isAssigned reports whether a quoted text is a value. Sentences have quotes after words, too.
func isAssigned(a *assignment) bool {
	return a.isMember() || a.value.sign == equals && !a.value.isSignSpaced
}

func isNumber(a *assignment) bool { return isDecimal(a.text) }

// isLongNumber reports whether a number is too long to be a count.
func isLongNumber(a *assignment) bool {
	return a.isMember() && !a.value.isSpaced || len(a.text) > 5 || a.isStrong() && len(a.text) > 3
}

func isVariable(a *assignment) bool {
	return a.value.sign == equals && !a.value.isSignSpaced && !a.value.isSpaced
}

// isValueOfVariable reports whether the value of a variable is secret. A variable with a weaker
// name may have a path.
func isValueOfVariable(a *assignment) bool {
	return a.isStrong() || a.name.class == header || a.text[0] != '/' && (a.name.class == prose || a.word[0]|0x20 == 'p')
}

func isTightMember(a *assignment) bool {
	return a.isMember() && !a.value.isSpaced && a.value.sign == colon
}

// isNotName reports whether a value is not an identifier, such as a type.
func isNotName(a *assignment) bool { return !isIdentifier(a.text) }

// isLineOfItsOwn reports whether a line has only a name and a value, or the name has several words.
func isLineOfItsOwn(a *assignment) bool {
	return a.isLast() && (a.beginsLine() || bytes.ContainsAny(a.word, "_."))
}

var (
	switches = lazily(`^(?:0|1|true|false|yes|no|on|off)$`)
	// plainValues matches paths, and texts of words and small numbers.
	plainValues = lazily(`^(?:[/~.\\](?:[A-Za-z0-9]{0,39}[^A-Za-z0-9@\\])*[A-Za-z0-9]{0,39}|(?:(?:[A-Za-z]+|[0-9]+|[A-Za-z0-9]{1,8})(?:[^A-Za-z0-9@\\]+|$)){0,16})$`)
)

// isHarmless reports whether a variable or a header is not secret: its value is a switch, or its
// name is harmless and its value is plain.
func isHarmless(name, value []byte) bool {
	n := string(bytes.ToLower(name))
	isPublic := knownNames().harmlessNames.Match(n) || knownNames().harmlessLastWords.Match(n)
	return switches().Match(value) || isPublic && len(value) < longValue && plainValues().Match(value)
}

// placeholders matches texts that take the place of a secret.
var placeholders = lazily(`^(?:x{3,}|X{3,}|\*+|\.+|-+|_+|…+|•+|\$\{.*|\$\(.*|\$[a-z_]+|\$[A-Z_][A-Z0-9_]*|\{\{.*|%[a-z]|%[A-Z_]+%|<[^<>]*>|\{[a-z_]*\}|(?i:your)[-_ ].*)$`)

// isPlaceholder reports whether a value only takes the place of a secret: it is a type, a keyword
// or a variable.
func isPlaceholder(value []byte) bool {
	value = bytes.TrimRight(value[:min(len(value), maxName+1)], "!?[]")
	return len(value) <= maxName && (knownNames().placeholders[strings.ToLower(string(value))] || placeholders().Match(value))
}

// looksGenerated reports whether a value looks as if a program or a careful person made it, as
// secrets do. It is not a word or a path: it has digits or signs among its letters, or capitals as
// no name has.
func looksGenerated(value []byte) bool {
	head := value[:min(len(value), longValue)]
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

// isOpaque reports whether a value is not a number and is not made of words. Capitals, small
// letters and digits are three kinds. In an opaque value, at least a fifth of them follow one of
// another kind.
func isOpaque(value []byte) bool {
	changes, n, last := 0, 0, byte(0)
	for _, c := range value[:min(len(value), longValue)] {
		if isAlnum(c) {
			if n++; n > 1 && c&0x60 != last { // the bits in which the three kinds differ
				changes++
			}
			last = c & 0x60
		}
	}
	return changes*5 >= n && n >= 8
}

// isKey reports whether a value is long and opaque like a key.
func isKey(value []byte) bool { return len(value) >= 16 && looksGenerated(value) && isOpaque(value) }
