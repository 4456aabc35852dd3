package main

import (
	"fmt"

	"acpshim/internal/version"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "version [--json]",
		Long: `Print the version, the commit and its date as far as they are known, and the Go that
built this acpshim. "acpshim --version" prints the version alone.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) (err error) {
			if built := version.Read(); asJSON {
				err = writeJSON(stdout(), built)
			} else {
				_, err = fmt.Fprint(stdout(), built.Text())
			}
			return failed(err)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print an object")
	return c
}
