package redact

import (
	"bytes"
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
)

// maxName is how much of the end of a name is looked at, in bytes.
const maxName = 96

// normalize appends a name as names are compared: its ASCII letters in lower case
// and its digits. Bytes of other letters stay.
func normalize(dst, name []byte) []byte {
	for _, c := range name[max(0, len(name)-maxName):] {
		switch {
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
			dst = append(dst, c)
		}
	}
	return dst
}

// lastWords match the last word of a name without the digits behind it: "db_pass2" and
// "dbPass" have "pass", "bypass" has itself.
var lastWords = lazily(`((?:[A-Z]?[a-z]+|[A-Z]+))[^A-Za-z]*$`)

func lastWord(name []byte) []byte {
	if m := lastWords.FindSubmatchIndex(name); m != nil {
		return name[m[2]:m[3]]
	}
	return nil
}

// A saying is what a name says, and what a member of this name does in an object.
type saying struct {
	class class
	role  role
}

// say says what a name says. It is the name of a member, of a variable, a header, a
// flag or a query value.
func (r *Redactor) say(name []byte) saying {
	if s, ok := r.said[string(name)]; ok {
		return s
	}
	r.name = normalize(r.name[:0], name)
	s := saying{r.classifyAnew(name), roles[string(r.name)]}
	const kept = 4096
	if len(r.said) >= kept {
		clear(r.said)
	}
	if len(name) <= maxName {
		r.said[string(name)] = s
	}
	return s
}

func (r *Redactor) classify(name []byte) class { return r.say(name).class }

func (r *Redactor) classifyAnew(name []byte) class {
	n := r.name
	switch {
	case r.keys[string(n)]:
		return strong
	case bytes.Contains(name, []byte("[redacted:")):
		return ordinary
	case !hasStem(n):
		return ordinary
	case sessionNames.Match(n):
		return sessionID
	case headersNames.Match(n):
		return headers
	case environmentNames.Match(n):
		return environment
	case headerNames.Match(n):
		return header
	case strongNames.Match(n) && !countedNames.Match(n):
		if c, ok := proseNames[string(n)]; ok {
			return c
		}
		return strong
	}
	word := string(normalize(nil, lastWord(name)))
	_, isWord := shortNames[word]
	switch {
	case isWord && (len(word) == len(n) || word == "auth"):
		return proseText
	case isWord:
		return strong
	case queryNames[string(n)]:
		return query
	case harmlessNames.Match(n) || countedNames.Match(n):
		return ordinary
	case likelyNames.Match(n):
		return likely
	case word == "key" && len(n) > 3:
		return keyed
	}
	return ordinary
}

// hasStem reports whether a name as it is compared has a stem in it.
func hasStem(n []byte) bool {
	for i := 0; i+2 < len(n); i++ {
		if baseGrams[gram(n[i], n[i+1], n[i+2])]&lookName != 0 && stemAt(n[i:]) {
			return true
		}
	}
	return false
}

// stemAt reports whether text begins with a stem, in any case.
func stemAt(text []byte) bool {
	for _, stem := range stemsFrom[text[0]&31] {
		if len(text) >= len(stem) && bytes.EqualFold(text[:len(stem)], []byte(stem)) {
			return true
		}
	}
	return false
}

// openly reports whether what an environment or headers have under a name may be
// told: the name is one of those that hold no secrets, or the value is a switch.
func openly(name, value []byte) bool {
	switch string(value) {
	case "0", "1", "true", "false", "yes", "no", "on", "off":
		return true
	}
	return openNames.Match(bytes.ToLower(name)) && len(value) < sure && plainValues.Match(value)
}

// plainValues match values that are paths, or are made of words and small numbers.
var plainValues = lazily(`^(?:[/~.\\](?:[A-Za-z0-9]{0,39}[^A-Za-z0-9@\\])*[A-Za-z0-9]{0,39}|(?:(?:[A-Za-z]+|[0-9]+|[A-Za-z0-9]{1,8})(?:[^A-Za-z0-9@\\]+|$)){0,16})$`)

func isAlnum(c byte) bool { return '0' <= c && c <= '9' || isLetter(c) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }
