package main

import (
	"errors"
	"fmt"
	"strings"

	"acpshim/internal/config"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// suggestFlags lets a command and all below it name the flag that a wrong one may be.
func suggestFlags(c *cobra.Command) {
	for _, sub := range c.Commands() {
		suggestFlags(sub)
	}
	say := c.FlagErrorFunc()
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			word := unknown.GetSpecifiedName()
			if letters := unknown.GetSpecifiedShortnames(); letters != "" {
				word = letters // -update
			}
			if near := nearFlag(c, word); near != "" {
				err = fmt.Errorf("%w (did you mean --%s?)", err, near)
			}
		}
		return say(c, err)
	})
}

// nearFlag is the flag of a command that a word begins or misspells, or "".
func nearFlag(c *cobra.Command, word string) string {
	var names []string
	begun := ""
	c.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if begun == "" && len(word) > 1 && strings.HasPrefix(f.Name, word) {
			begun = f.Name
		}
	})
	if begun != "" {
		return begun
	}
	return config.Nearest(word, names)
}
