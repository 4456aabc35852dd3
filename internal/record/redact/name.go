package redact

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// A class is what a name says about its value.
type class uint8

const (
	ordinary    class = iota
	strong            // it is secret: password, GITHUB_TOKEN
	prose             // it is, and the name is a word that texts use, too: token
	proseText         // the same, but an object under it is not: auth
	likely            // it is if it looks made: passwordOfBob
	keyed             // it is if it is opaque: STRIPE_KEY
	header            // it is, to the end of the line: Authorization
	query             // it is in a URL: sig
	sessionID         // it is the id of a session, or several
	environment       // it is an object or a list of variables, which are secret
	headers           // it is one of headers, which are secret
)

// isWord reports whether a name of the class may be a word of a text.
func (c class) isWord() bool { return c == prose || c == proseText || c == likely || c == keyed }

// A role is what a member does in its object.
type role uint8

const (
	noRole         role = iota
	nameRole            // it has the name of the value of another member
	valueRole           // it has that value
	programRole         // it has the name of the program whose arguments follow
	propertiesRole      // it has the properties of a schema
	methodRole          // it has the method of a message
	paramsRole          // it has the parameters of a message
	methodIDRole        // it has the login method in the parameters of authenticate
	encodedRole         // it may have bytes as base64
)

// classNames and roleNames are those in names.txt.
var (
	classNames = []string{"ordinary", "strong", "prose", "proseText", "likely", "keyed", "header", "query", "sessionID", "environment", "headers"}
	roleNames  = []string{"", "name", "value", "program", "properties", "method", "params", "methodID", "encoded"}
)

// maxName is how much of the end of a name is looked at, in bytes.
const maxName = 96

// normalize returns a name as names are compared: its letters in lower case and its digits.
func normalize(name []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if c < 0x80 && !isAlnum(byte(c)) {
			return -1
		}
		return unicode.ToLower(c)
	}, name[max(0, len(name)-maxName):])
}

// A meaning is what a name says about its value, and what a member with this name does.
type meaning struct {
	class class
	role  role
}

// meaningOf is the meaning of the name of a member, a variable, a header, a flag or a query value.
func (r *Redactor) meaningOf(name []byte) meaning {
	m, ok := r.meanings[string(name)]
	if !ok {
		n := normalize(name)
		m = meaning{r.classOf(name, n), names().roles[string(n)]}
		if len(r.meanings) >= 4096 {
			clear(r.meanings)
		}
		if len(name) <= maxName {
			r.meanings[string(name)] = m
		}
	}
	return m
}

func (r *Redactor) classify(name []byte) class { return r.meaningOf(name).class }

// namesSecret reports whether a name that stands apart from its value says that it is secret.
func (r *Redactor) namesSecret(name []byte) bool {
	return slices.Contains([]class{strong, prose, proseText, header}, r.classify(name))
}

// classOf is the class of a name, which is n as names are compared.
func (r *Redactor) classOf(name, n []byte) class {
	switch {
	case bytes.Contains(name, []byte("[redacted:")):
		return ordinary
	case r.keys[string(n)]:
		return strong
	}
	c, isKnown := names().names["^"+string(n)]
	if !isKnown {
		c, isKnown = classOfEnd(n)
	}
	ofWord := names().lastWords[lastWord(name)]
	hasInfix := func() bool {
		return slices.ContainsFunc(names().infixes, func(infix string) bool { return bytes.Contains(n, []byte(infix)) })
	}
	switch {
	case c != ordinary:
		return c
	case isKnown && ofWord == keyed: // "primary_key"
		return ordinary
	case !isKnown && ofWord != strong && ofWord != proseText && hasInfix():
		return likely
	}
	return ofWord
}

// classOfEnd is the class of the longest name of the table that n ends with, without digits. A
// suffix may follow a strong one.
func classOfEnd(n []byte) (c class, isKnown bool) {
	base := bytes.TrimRight(n, digits)
	for _, suffix := range names().suffixes {
		if before, ok := bytes.CutSuffix(base, []byte(suffix)); ok {
			if c, isKnown = classOfEnd(before); c == strong {
				return c, isKnown
			}
		}
	}
	for start := range base {
		if c, isKnown = names().names[string(base[start:])]; isKnown {
			return c, isKnown
		}
	}
	return ordinary, false
}

// lastWord is the last word of a name in lower case, without digits after it: "pass" of "db_pass2"
// and of "dbPass", but "bypass" of "bypass".
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
