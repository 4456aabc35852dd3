package redact

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A class is what the name of a value, or the place where it stands, says about the value.
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

	naming     // a member that names the value of another
	valuing    // one that has it
	running    // one that names the program whose arguments follow
	describing // one that has the properties of a schema
	method     // one of a message
	params     // the same
	methodID   // one of the params of authenticate

	stem   // a part of names, without which they are ordinary
	behind // one behind the names of secrets
	within // one before words that nobody knows

	login      // a message whose params are secret
	named      // an object whose value is secret, as its name says
	leaves     // a value in which every string and number is secret
	pair       // an element of an environment or headers
	properties // those of a JSON Schema
	schema     // a JSON Schema that is named like a secret
)

// maxName is how much of the end of a name is looked at, in bytes.
const maxName = 96

// classNames are the classes as names.txt has them.
const classNames = "ordinary strong prose proseText likely keyed header query sessionID environment headers plain " +
	"naming valuing running describing method params methodID stem behind within"

//go:embed names.txt
var nameTable string

// A nameSet is the table of names.
type nameSet struct {
	of    map[string]class // by a beginning and an end
	parts [within + 1][]string
}

var names = sync.OnceValue(func() *nameSet {
	n, classes := &nameSet{of: make(map[string]class)}, strings.Fields(classNames)
	for row := range rows(nameTable) {
		first, ends, _ := strings.Cut(row, "|")
		beginnings := strings.Fields(first)
		of := class(slices.Index(classes, beginnings[0]))
		if beginnings = beginnings[1:]; len(beginnings) == 0 {
			beginnings = []string{""}
		}
		n.parts[of] = append(n.parts[of], strings.Fields(ends)...)
		for _, beginning := range beginnings {
			for end := range strings.FieldsSeq(ends) {
				n.of[beginning+end] = of
			}
		}
	}
	return n
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
type saying struct{ class, role class }

// say says what the name of a member, a variable, a header, a flag or a query value says.
func (r *Redactor) say(name []byte) saying {
	s, ok := r.said[string(name)]
	if !ok {
		n := normalize(name)
		s = saying{r.classOf(name, n), names().of["."+string(n)]}
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
	c, ok := names().of["^"+string(n)]
	if !ok {
		c, ok = classOfEnd(n)
	}
	ofWord := names().of["-"+lastWord(name)]
	has := func(part string) bool { return bytes.Contains(n, []byte(part)) }
	switch {
	case bytes.Contains(name, []byte("[redacted:")):
		return ordinary
	case r.keys[string(n)]:
		return strong
	case c != ordinary:
		return c
	case ok && ofWord == keyed:
		return ordinary
	case !ok && ofWord != strong && ofWord != proseText && slices.ContainsFunc(names().parts[within], has):
		return likely
	}
	return ofWord
}

// classOfEnd is the class of the longest name of the table that n ends with, digits apart. A
// strong one may have one of the words behind it that are for that.
func classOfEnd(n []byte) (c class, ok bool) {
	base := bytes.TrimRight(n, digits)
	for _, end := range names().parts[behind] {
		if before, found := bytes.CutSuffix(base, []byte(end)); found {
			if c, ok = classOfEnd(before); c == strong {
				return c, ok
			}
		}
	}
	for start := range base {
		if c, ok = names().of[string(base[start:])]; ok {
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

var (
	switches = lazily(`^(?:0|1|true|false|yes|no|on|off)$`)
	// openNames are variables and headers that hold no secrets, in lower case.
	openNames = lazily(`^(?:.*_)?(?:dir|path|home|env|mode|level|color|shell|editor|pager|debug|verbose|port|version|region|lang|language|locale|tz|term|timeout|enabled|disabled|name|root)$|` +
		`^(?:lang|lc_.*|path|term|colorterm|shell|home|pwd|tz|editor|pager|no_color|force_color|ci|debug|display|tmpdir|temp|tmp|goos|goarch|edition)$|` +
		`^(?:content-(?:type|length|encoding|language)|accept|accept-(?:encoding|language|charset)|user-agent|cache-control|connection|date|host|origin|pragma|vary|anthropic-version|anthropic-beta|x-stainless-.*)$`)
	// plainValues match values that are paths, or are made of words and small numbers.
	plainValues = lazily(`^(?:[/~.\\](?:[A-Za-z0-9]{0,39}[^A-Za-z0-9@\\])*[A-Za-z0-9]{0,39}|(?:(?:[A-Za-z]+|[0-9]+|[A-Za-z0-9]{1,8})(?:[^A-Za-z0-9@\\]+|$)){0,16})$`)
	// qualifiers make a name of a word that texts use.
	qualifiers = lazily(`^(?i:access|refresh|auth|api|client|bearer|bot|session|security|github|gitlab|slack|deploy|personal|admin|service|shared|user)$`)
	// getters are functions with the name of a secret, not the secret, in their brackets.
	getters = lazily(`(?i:^|\.|_)(?i:get|read|fetch|load|find|ask|prompt|input|has|is|check|validate|verify|new|make|create|parse|test|delete|remove|reset|describe|it)[_A-Z]`)
	// placeholders stand where a secret would.
	placeholders = lazily(`^(?:x{3,}|X{3,}|\*+|\.+|-+|_+|…+|•+|\$\{.*|\$\(.*|\$[a-z_]+|\$[A-Z_][A-Z0-9_]*|\{\{.*|%[a-z]|%[A-Z_]+%|<[^<>]*>|\{[a-z_]*\}|(?i:your)[-_ ].*)$`)
)

// openly reports whether what an environment or headers have under a name may be
// told: the name is one of those that hold no secrets, or the value is a switch.
func openly(name, value []byte) bool {
	return switches().Match(value) || openNames().Match(bytes.ToLower(name)) && len(value) < sure && plainValues().Match(value)
}

// isPlaceholder reports whether a value is none: a type, a word of a language, a variable.
func isPlaceholder(value []byte) bool {
	value = bytes.TrimRight(value[:min(len(value), maxName+1)], "!?[]")
	return len(value) <= maxName && (names().of["="+strings.ToLower(string(value))] == plain || placeholders().Match(value))
}
