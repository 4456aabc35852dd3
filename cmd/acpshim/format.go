package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A format is what --format says, and --json, which is short for --format json.
type format struct {
	formats []string // the default first
	is      string   // "" is the default
}

// add adds --format with these formats, the default first, and --json if that is one of them.
func (f *format) add(c *cobra.Command, formats ...string) {
	f.formats = formats
	c.Flags().Var(f, "format", fmt.Sprintf("`FORMAT`: %s (default %s)", oneOf(formats), formats[0]))
	completeWords(c, "format", formats...)
	if slices.Contains(formats, "json") {
		c.Flags().VarPF(jsonFormat{f}, "json", "", "short for --format json").NoOptDefVal = "true"
	}
}

func (f *format) String() string { return "" }

// Type implements pflag.Value.
func (f *format) Type() string { return "format" }

// Set implements pflag.Value.
func (f *format) Set(name string) error {
	switch {
	case !slices.Contains(f.formats, name):
		return fmt.Errorf("want %s", oneOf(f.formats))
	case f.is != "" && f.is != name:
		return fmt.Errorf("it is already %s", f.is)
	}
	f.is = name
	return nil
}

// isText reports whether the output is for people.
func (f *format) isText() bool { return f.is == "" || f.is == "text" }

// A jsonFormat is the value of --json.
type jsonFormat struct{ *format }

func (j jsonFormat) Type() string { return "bool" }

func (j jsonFormat) Set(text string) error {
	if text != "true" {
		return fmt.Errorf("it has no value")
	}
	return j.format.Set("json")
}

// oneOf lists words as in "text, json or raw".
func oneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
