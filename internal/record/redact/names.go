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
	ordinary    class = iota // nothing
	strong                   // secret: password, GITHUB_TOKEN
	prose                    // secret, but sentences use the word, too: token
	proseText                // as prose, but an object is not secret: auth
	likely                   // secret if it looks generated: passwordOfBob
	keyed                    // secret if it is opaque: STRIPE_KEY
	header                   // secret up to the end of the line: Authorization
	query                    // secret in a URL: sig
	sessionID                // a session id, or several
	environment              // an object or a list of secret variables
	headers                  // an object or a list of secret headers
)

// isTextWord reports whether names of the class may be words of a sentence.
func (c class) isTextWord() bool { return c == prose || c == proseText || c == likely || c == keyed }

// A role is what a member does in its object.
type role uint8

const (
	noRole         role = iota
	nameRole            // the name of another member's value
	valueRole           // the value with this name
	programRole         // the name of the program whose arguments follow
	propertiesRole      // the properties of a schema
	methodRole          // the method of a message
	paramsRole          // the parameters of a message
	methodIDRole        // the login method in the parameters of authenticate
	encodedRole         // bytes, perhaps as base64
)

// roleNames has the names of the roles in names.txt.
var roleNames = []string{"", "name", "value", "program", "properties", "method", "params", "methodID", "encoded"}

// A meaning is what a name says about its value, and the role of a member with this name.
type meaning struct {
	class class
	role  role
}

// A classifier finds the meanings of names.
type classifier struct {
	keys     map[string]bool    // Options.Keys, normalized
	meanings map[string]meaning // a cache of at most 4,096 names
}

// meaningOf returns the meaning of a name: of a member, a variable, a header, a flag or a value in
// a query.
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

// namesSecret reports whether a name says that a value elsewhere is secret.
func (names *classifier) namesSecret(name []byte) bool {
	return slices.Contains([]class{strong, prose, proseText, header}, names.classify(name))
}

// classOf returns the class of a name. N is the normalized name.
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

// classOfEnd returns the class of the longest name in the table that n ends with, not counting
// digits. A strong name may have a suffix.
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

// lastWord returns the last word of a name in lower case, without trailing digits. It is "pass" for
// "db_pass2" and "dbPass", but "bypass" for "bypass".
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

// normalize returns a name in the form in which names are compared: only lower-case letters and
// digits.
func normalize(name []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if c < 0x80 && !isAlnum(byte(c)) {
			return -1
		}
		return unicode.ToLower(c)
	}, name[max(0, len(name)-maxName):])
}

// A place is a place of a value in JSON.
type place uint8

const (
	anyPlace        place = iota
	secretPlace           // the whole value is secret
	leavesPlace           // every string and number in it is secret
	textPlace             // a string is secret
	likelyPlace           // a string is secret if it looks generated
	keyedPlace            // a string is secret if it is long and opaque
	sessionPlace          // a session id, or a list of ids
	pairsPlace            // an environment or headers
	pairPlace             // an element of an environment or of headers
	loginPlace            // a message that authenticates
	namedPlace            // an object whose member "name" says that its value is secret
	propertiesPlace       // the properties of a JSON Schema
	schemaPlace           // a JSON Schema with a secret name
)

// classes has the name of each class in names.txt. It also has the place of a member whose name is
// in the class, and the kind of secrets there.
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

// A placeRule sets the place of a member that depends on more than its name.
type placeRule struct {
	role role // of the member; noRole means any
	to   place
	kind Kind // of secrets there; "" means the object's
}

// placeRules has the rules for the members of an object by the object's place. The first match
// counts.
var placeRules = [...][]placeRule{
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

// memberPlace returns the place of a member in an object at this place, and the kind of secrets
// there. Next is the kind of the member's value.
func (at place) memberPlace(m meaning, next jsontext.Kind, kind Kind) (place, Kind) {
	for _, move := range placeRules[at] {
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

// A nameTable has the sections of names.txt.
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

// readMeanings reads rows with a class or a role, followed by its names. Each name is one of the
// beginnings before "|" with one of the ends after it.
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
