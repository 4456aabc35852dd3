package redact

import "slices"

// A condition is something that a candidate meets or not.
type condition func(c *candidate) bool

// A verdict decides about some of the candidates.
type verdict struct {
	isFor    condition
	isSecret condition
	hidden   string // an example of a secret
	kept     string // an example of what is not a secret
}

// verdicts are in order: the first that is for a candidate decides.
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

// isSecret reports whether a value is the secret that its name says, not a word of a text, a type
// or a part of a program.
func (c *candidate) isSecret() bool {
	i := slices.IndexFunc(verdicts, func(v verdict) bool { return v.isFor(c) })
	return verdicts[i].isSecret(c)
}

func always(*candidate) bool { return true }

func never(*candidate) bool { return false }

func follows(signs ...sign) condition {
	return func(c *candidate) bool { return c.isLinkedBy(signs...) }
}
