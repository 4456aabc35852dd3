package redact

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A class is what the name of a value says about the value.
type class uint8

const (
	ordinary    class = iota
	strong            // it is secret: password, GITHUB_TOKEN
	prose             // it is, and the name is a word that texts use, too: token
	proseText         // the same, and an object under it is none: auth
	likely            // it is if it looks made: passwordOfBob
	keyed             // it is if it is opaque: STRIPE_KEY
	header            // it is to the end of the line: Authorization
	query             // it is in a URL: sig
	sessionID         // the id of a session, or several
	environment       // names with secret values
	headers           // the same
	plain             // a value that is no secret
)

// maxName is how much of the end of a name is looked at, in bytes.
const maxName = 96

// classNames are the classes as names.txt has them.
const classNames = "ordinary strong prose proseText likely keyed header query sessionID environment headers plain"

// names are the names of the table.
var names = sync.OnceValue(func() map[string]class {
	all, classes := make(map[string]class), strings.Fields(classNames)
	for row := range rows(nameTable) {
		first, ends, _ := strings.Cut(row, "|")
		fields := strings.Fields(first)
		of := class(slices.Index(classes, fields[0]))
		if len(fields) == 1 {
			fields = append(fields, "")
		}
		for _, beginning := range fields[1:] {
			for end := range strings.FieldsSeq(ends) {
				all[beginning+end] = of
			}
		}
	}
	return all
})

// normalize returns a name as names are compared: its letters in lower case and its digits.
func normalize(name []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if c < 0x80 && !isAlnum(byte(c)) {
			return -1
		}
		return unicode.ToLower(c)
	}, name[max(0, len(name)-maxName):])
}

// A saying is what a name says, and what a member of this name does in an object.
type saying struct {
	class class
	role  role
}

// say says what the name of a member, a variable, a header, a flag or a query value says.
func (r *Redactor) say(name []byte) saying {
	s, ok := r.said[string(name)]
	if !ok {
		n := normalize(name)
		s = saying{r.classOf(name, n), roles[string(n)]}
		if len(r.said) >= 4096 {
			clear(r.said)
		}
		if len(name) <= maxName {
			r.said[string(name)] = s
		}
	}
	return s
}

func (r *Redactor) classify(name []byte) class { return r.say(name).class }

// classOf is the class of a name as it is written and as it is compared.
func (r *Redactor) classOf(name, n []byte) class {
	c, ok := names()["^"+string(n)]
	if !ok {
		c, ok = classOfEnd(n)
	}
	word := lastWord(name)
	has := func(stem string) bool { return bytes.Contains(n, []byte(stem)) }
	switch {
	case bytes.Contains(name, []byte("[redacted:")):
		return ordinary
	case r.keys[string(n)]:
		return strong
	case c != ordinary:
		return c
	case word == "auth":
		return proseText
	case names()["^"+word] == proseText:
		return strong
	case !ok && slices.ContainsFunc(strings.Fields(likelyStems), has):
		return likely
	case !ok && word == "key" && len(n) > 3:
		return keyed
	}
	return ordinary
}

// classOfEnd is the class of the longest name of the table that n ends with, digits apart. A
// strong one may have one of the words behind it that are for that.
func classOfEnd(n []byte) (c class, ok bool) {
	base := bytes.TrimRight(n, digits)
	for end := range strings.FieldsSeq(nameEnds) {
		if before, found := bytes.CutSuffix(base, []byte(end)); found {
			if c, ok = classOfEnd(before); c == strong {
				return c, ok
			}
		}
	}
	for start := range base {
		if c, ok = names()[string(base[start:])]; ok {
			return c, ok
		}
	}
	return ordinary, false
}

// lastWord is the last word of a name in lower case, without the digits behind it: of
// "db_pass2" and "dbPass" it is "pass", of "bypass" that itself.
func lastWord(name []byte) string {
	name = bytes.TrimRight(name, digits+"_-. :")
	start := len(bytes.TrimRight(name, lower))
	if start == len(name) {
		start = len(bytes.TrimRight(name, upper))
	} else if start > 0 && isLetter(name[start-1]) { // a capital
		start--
	}
	return strings.ToLower(string(name[start:]))
}

// openly reports whether what an environment or headers have under a name may be
// told: the name is one of those that hold no secrets, or the value is a switch.
func openly(name, value []byte) bool {
	return switches().Match(value) || openNames().Match(bytes.ToLower(name)) && len(value) < sure && plainValues().Match(value)
}

// isPlaceholder reports whether a value is none: a type, a word of a language, a variable.
func isPlaceholder(value []byte) bool {
	value = bytes.TrimRight(value[:min(len(value), maxName+1)], "!?[]")
	return len(value) <= maxName && (names()["="+strings.ToLower(string(value))] == plain || placeholders().Match(value))
}
