package main

import (
	"fmt"
	"slices"

	"acpshim/internal/text/spelling"

	"github.com/spf13/cobra"
)

// A format is the value of --format; "" is the default.
type format string

// add adds --format with these formats, the default first, and --json if that is one of them.
func (f *format) add(c *cobra.Command, formats ...string) {
	addChoice(c, (*string)(f), "format", fmt.Sprintf("use `FORMAT`: %s (default %s)", spelling.OneOf(formats), formats[0]), formats...)
	if slices.Contains(formats, "json") {
		c.Flags().BoolFunc("json", "short for --format json", func(text string) error {
			if text != "true" {
				return fmt.Errorf("want no value, not %q", text)
			}
			return c.Flags().Lookup("format").Value.Set("json")
		})
	}
}

// isText reports whether the output is for people.
func (f format) isText() bool { return f == "" || f == "text" }
