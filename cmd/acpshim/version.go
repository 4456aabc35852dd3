package main

import (
	"fmt"

	"acpshim/internal/system/version"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	var to format
	c := &cobra.Command{
		Use:     "version [flags]",
		Example: "acpshim version --json",
		Long: `Print the version of this acpshim, its commit and date if they are known, and
the Go version that built it. "acpshim --version" prints only the version.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) (err error) {
			if built := version.Read(); !to.isText() {
				err = writeJSON(stdout(), built)
			} else {
				_, err = fmt.Fprint(stdout(), built.Text())
			}
			return failed(err)
		},
	}
	to.add(c, "text", "json")
	return c
}
