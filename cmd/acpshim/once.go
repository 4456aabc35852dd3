package main

import (
	"fmt"

	"github.com/spf13/pflag"
)

// once is a flag with a text that is not empty: another one behind it is an error,
// where pflag would forget the first. The same is none, as completion reads flags twice.
type once struct {
	to    *string
	want  string // what is wanted, for people
	given bool
}

func addOnce(flags *pflag.FlagSet, to *string, name, want, usage string) {
	flags.Var(&once{to: to, want: want}, name, usage)
}

// Set implements pflag.Value.
func (o *once) Set(text string) error {
	switch {
	case text == "":
		return fmt.Errorf("want %s", o.want)
	case o.given && text != *o.to:
		return fmt.Errorf("want one, there is %q before it", *o.to)
	}
	*o.to, o.given = text, true
	return nil
}

func (o *once) String() string {
	if o.to == nil {
		return ""
	}
	return *o.to
}

// Type implements pflag.Value.
func (o *once) Type() string { return "string" }
