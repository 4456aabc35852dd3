package redact

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"acpshim/internal/text/glob"
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

// isTextWord reports whether a name of the class may be a word of a text.
func (c class) isTextWord() bool { return c == prose || c == proseText || c == likely || c == keyed }

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

// roleNames are those in names.txt.
var roleNames = []string{"", "name", "value", "program", "properties", "method", "params", "methodID", "encoded"}

// A meaning is what a name says about its value, and what a member with this name does.
type meaning struct {
	class class
	role  role
}

// A classifier says what names mean.
type classifier struct {
	keys     map[string]bool    // of Options.Keys, as names are compared
	meanings map[string]meaning // of the latest names
}

// meaningOf is the meaning of the name of a member, a variable, a header, a flag or a query value.
func (names *classifier) meaningOf(name []byte) meaning {
	m, ok := names.meanings[string(name)]
	if !ok {
		n := normalize(name)
		m = meaning{names.classOf(name, n), knownNames().roles[string(n)]}
		if len(names.meanings) >= 4096 {
			clear(names.meanings)
		}
		if len(name) <= maxName {
			names.meanings[string(name)] = m
		}
	}
	return m
}

func (names *classifier) classify(name []byte) class { return names.meaningOf(name).class }

// namesSecret reports whether a name that stands apart from its value says that it is secret.
func (names *classifier) namesSecret(name []byte) bool {
	return slices.Contains([]class{strong, prose, proseText, header}, names.classify(name))
}

// classOf is the class of a name, which is n as names are compared.
func (names *classifier) classOf(name, n []byte) class {
	switch {
	case bytes.Contains(name, []byte("[redacted:")):
		return ordinary
	case names.keys[string(n)]:
		return strong
	}
	c, isKnown := knownNames().names["^"+string(n)]
	if !isKnown {
		c, isKnown = classOfEnd(n)
	}
	ofWord := knownNames().lastWords[lastWord(name)]
	hasInfix := func() bool {
		return slices.ContainsFunc(knownNames().infixes, func(infix string) bool { return bytes.Contains(n, []byte(infix)) })
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
	for _, suffix := range knownNames().suffixes {
		if before, ok := bytes.CutSuffix(base, []byte(suffix)); ok {
			if c, isKnown = classOfEnd(before); c == strong {
				return c, isKnown
			}
		}
	}
	for start := range base {
		if c, isKnown = knownNames().names[string(base[start:])]; isKnown {
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

// normalize returns a name as names are compared: its letters in lower case and its digits.
func normalize(name []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if c < 0x80 && !isAlnum(byte(c)) {
			return -1
		}
		return unicode.ToLower(c)
	}, name[max(0, len(name)-maxName):])
}

// A place is where a value stands in JSON.
type place uint8

const (
	anyPlace        place = iota
	secretPlace           // the value is secret as a whole
	leavesPlace           // every string and number in it is secret
	textPlace             // it is secret if it is a string
	likelyPlace           // it is secret if it is a string that looks made
	keyedPlace            // it is secret if it is a long opaque string
	sessionPlace          // it is the id of a session, or a list of ids
	pairsPlace            // it is an environment or headers
	pairPlace             // it is an element of these
	loginPlace            // it is a message that authenticates
	namedPlace            // it is an object whose value is secret, as its name says
	propertiesPlace       // it has the properties of a JSON Schema
	schemaPlace           // it is a JSON Schema that is named like a secret
)

// classes have the name of each class in names.txt, where the value of a member with such a name
// stands, and of which kind secrets are there.
var classes = [...]struct {
	name  string
	place place
	kind  Kind
}{
	ordinary:    {"ordinary", anyPlace, Key},
	strong:      {"strong", secretPlace, Key},
	prose:       {"prose", secretPlace, Key},
	proseText:   {"proseText", textPlace, Key},
	likely:      {"likely", likelyPlace, Key},
	keyed:       {"keyed", keyedPlace, Key},
	header:      {"header", secretPlace, Key},
	query:       {"query", anyPlace, Key},
	sessionID:   {"sessionID", sessionPlace, Key},
	environment: {"environment", pairsPlace, Env},
	headers:     {"headers", pairsPlace, Header},
}

// A move says where the value of a member stands, if the object says more than the name.
type move struct {
	role role // of the member, noRole for any
	to   place
	kind Kind // of secrets there, "" for that of the object
}

// moves are those of each place of an object. The first that fits counts.
var moves = [...][]move{
	// {"properties": {"token": {...}}}
	anyPlace: {{propertiesRole, propertiesPlace, Key}},
	// {"method": "authenticate", "params": {...}}
	loginPlace: {{paramsRole, leavesPlace, Auth}},
	// {"methodId": "kept", "any": "SECRET"}
	leavesPlace: {{methodIDRole, anyPlace, Key}, {noRole, leavesPlace, ""}},
	// "env": {"NAME": "SECRET"}
	pairsPlace: {{noRole, secretPlace, ""}},
	// "env": [{"name": "kept", "value": "SECRET"}]
	pairPlace: {{nameRole, anyPlace, Key}, {noRole, secretPlace, ""}},
	// {"name": "api_key", "value": "SECRET"}
	namedPlace: {{valueRole, secretPlace, ""}},
	// "token": {"default": "SECRET"}
	schemaPlace: {{valueRole, secretPlace, ""}, {propertiesRole, propertiesPlace, Key}},
}

// member is where the value of a member stands in an object, and of which kind secrets are there.
func (at place) member(m meaning, next jsontext.Kind, kind Kind) (place, Kind) {
	for _, move := range moves[at] {
		if move.role == noRole || move.role == m.role {
			return move.to, cmp.Or(move.kind, kind)
		}
	}
	isSchema := at == propertiesPlace && m.class != ordinary && next == '{' // "token": {"type": "string"}
	isKeyword := at == schemaPlace && m.class == ordinary                   // "type": "string"
	if isSchema || isKeyword {
		return schemaPlace, Key
	}
	to := classes[m.class]
	return to.place, to.kind
}

//go:embed names.txt
var namesTXT string

// A nameTable is names.txt, by its sections.
type nameTable struct {
	names, lastWords                 map[string]class
	roles                            map[string]role
	hints, suffixes, infixes         []string
	qualifiers, placeholders         map[string]bool
	harmlessNames, harmlessLastWords glob.Glob
}

var knownNames = sync.OnceValue(func() *nameTable {
	rowsOf, section := make(map[string][]string), ""
	for _, row := range tableRows(namesTXT) {
		if row[0] == '[' {
			section = row
		} else {
			rowsOf[section] = append(rowsOf[section], row)
		}
	}
	words := func(section string) []string { return strings.Fields(strings.Join(rowsOf[section], " ")) }
	set := func(section string) map[string]bool {
		all := make(map[string]bool)
		for _, word := range words(section) {
			all[word] = true
		}
		return all
	}
	var classNames []string
	for _, c := range classes {
		classNames = append(classNames, c.name)
	}
	anyOf := func(section string) string { return "{" + strings.Join(words(section), ",") + "}" }
	return &nameTable{
		names:             readMeanings[class](rowsOf["[names]"], classNames),
		lastWords:         readMeanings[class](rowsOf["[last words]"], classNames),
		roles:             readMeanings[role](rowsOf["[members]"], roleNames),
		hints:             words("[hints]"),
		suffixes:          words("[suffixes]"),
		infixes:           words("[infixes]"),
		qualifiers:        set("[qualifiers]"),
		placeholders:      set("[placeholders]"),
		harmlessNames:     mustGlob(anyOf("[harmless names]")),
		harmlessLastWords: mustGlob("*_" + anyOf("[harmless last words]")),
	}
})

// readMeanings reads rows with a class or a role and the names that have it: each beginning with
// each end.
func readMeanings[M class | role](rows, known []string) map[string]M {
	all := make(map[string]M)
	for _, row := range rows {
		first, ends, _ := strings.Cut(row, "|")
		words := strings.Fields(first)
		meaning := slices.Index(known, words[0])
		if meaning < 0 {
			panic(fmt.Sprintf("names.txt: %q: want one of %q first", row, known)) // a test reads the table
		}
		beginnings := words[1:]
		if len(beginnings) == 0 {
			beginnings = []string{""}
		}
		for _, beginning := range beginnings {
			for end := range strings.FieldsSeq(ends) {
				all[beginning+end] = M(meaning)
			}
		}
	}
	return all
}
