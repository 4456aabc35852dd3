package versions

import (
	"regexp"
	"slices"

	"acpshim/internal/chain/wire"
)

// A Refusal is an error response to initialize that refuses the version of the protocol.
type Refusal struct {
	Supported []string // the versions that the agent names; nil if it names none
}

// ReadRefusal reads the error of a response to initialize. It returns nil if the error is not about
// the version. The code does not decide that, because agents also return -32602 and -32600 if a
// login or an environment variable is missing.
func ReadRefusal(failure []byte) *Refusal {
	o, _ := wire.Parse(failure, "data")
	if raw, ok := wire.Elements(o.Open("data").Raw("supported")); ok {
		r := &Refusal{Supported: []string{}}
		for _, version := range raw {
			r.Supported = append(r.Supported, wire.ID(version))
		}
		return r
	}
	code := wire.ID(o.Raw("code"))
	switch {
	case code == unsupportedVersion:
	case len(failure) > maxInitialize:
		return nil // acpshim keeps none that long
	case !namesVersion.Match(failure) && !(code == invalidParams && namesMember.Match(failure)):
		return nil
	}
	return &Refusal{}
}

// Allows reports whether the agent may speak a version. A nil Refusal allows none.
func (r *Refusal) Allows(version string) bool {
	return r != nil && (r.Supported == nil || slices.Contains(r.Supported, version))
}

// The error codes with which agents refuse a version.
const (
	unsupportedVersion = "-32022"
	invalidRequest     = "-32600" // also for a second initialize
	invalidParams      = "-32602"
)

// namesVersion matches the words for the version of the protocol in the text or the data of an
// error, such as "Unsupported ACP protocol 1; configured versions are [2]".
var namesVersion = regexp.MustCompile(`(?i)(protocol|\bacp\b).{0,40}version|version.{0,40}protocol`)

// namesMember matches a member of initialize that only version 2 has, in quotes. An agent of
// version 2 misses it in version 1, and a strict agent of version 1 does not know it.
var namesMember = regexp.MustCompile("[\"'`](info|capabilities)\\\\?[\"'`]")
