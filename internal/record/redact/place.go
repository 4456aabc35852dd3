package redact

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

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

// placeOf is where the value of a member stands by its name, and of which kind secrets are there.
var placeOf = [...]struct {
	place place
	kind  Kind
}{
	ordinary:    {anyPlace, Key},
	strong:      {secretPlace, Key},
	prose:       {secretPlace, Key},
	header:      {secretPlace, Key},
	proseText:   {textPlace, Key},
	likely:      {likelyPlace, Key},
	keyed:       {keyedPlace, Key},
	query:       {anyPlace, Key},
	sessionID:   {sessionPlace, Key},
	environment: {pairsPlace, Env},
	headers:     {pairsPlace, Header},
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
	to := placeOf[m.class]
	return to.place, to.kind
}
