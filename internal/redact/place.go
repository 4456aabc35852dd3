package redact

import "github.com/go-json-experiment/json/jsontext"

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

// placeOf is where the value of a member stands, by what the name says, and what secrets there are.
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

// A move is where the value of a member stands, if the object tells more than the name.
type move struct {
	from place
	role role // noRole for any
	to   place
	kind Kind // "" for that of the object
}

// moves are in order: the first that fits counts.
var moves = []move{
	{leavesPlace, methodID, anyPlace, Key},
	{leavesPlace, noRole, leavesPlace, ""},
	{loginPlace, params, leavesPlace, Auth},
	{pairPlace, naming, anyPlace, Key},
	{pairPlace, noRole, secretPlace, ""},
	{pairsPlace, noRole, secretPlace, ""},
	{namedPlace, valuing, secretPlace, ""},
	{schemaPlace, valuing, secretPlace, ""},
	{schemaPlace, describing, propertiesPlace, Key},
	{anyPlace, describing, propertiesPlace, Key},
}

// member is where the value of a member stands in an object at a place, and what secrets there are.
func (at place) member(m meaning, next jsontext.Kind, kind Kind) (place, Kind) {
	for n := range moves {
		move := &moves[n]
		if move.from != at || move.role != noRole && move.role != m.role {
			continue
		}
		if move.kind != "" {
			kind = move.kind
		}
		return move.to, kind
	}
	// A property that is named like a secret is described by an object; the keywords of that are
	// ordinary.
	if at == propertiesPlace && m.class != ordinary && next == '{' || at == schemaPlace && m.class == ordinary {
		return schemaPlace, Key
	}
	to := placeOf[m.class]
	return to.place, to.kind
}
