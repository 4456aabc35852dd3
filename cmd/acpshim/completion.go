package main

import (
	"maps"
	"os"
	"slices"
	"strings"

	"acpshim/internal/setup/config"
	"acpshim/internal/setup/registry"
	"acpshim/internal/text/terminal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const noFiles = cobra.ShellCompDirectiveNoFileComp

func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:     "completion bash|zsh|fish|powershell",
		Example: "acpshim completion fish > ~/.config/fish/completions/acpshim.fish",
		Long: `Print a script that lets your shell complete acpshim's commands, flags,
configuration keys, agents, runs and filters. To load it in every new shell:
  bash         put  source <(acpshim completion bash)  in ~/.bashrc
               (it needs the package bash-completion)
  zsh          acpshim completion zsh > "${fpath[1]}/_acpshim"
  fish         acpshim completion fish > ~/.config/fish/completions/acpshim.fish
  powershell   put into the file $PROFILE:
               acpshim completion powershell | Out-String | Invoke-Expression`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch strings.Join(args, " ") {
			case "bash":
				return root.GenBashCompletionV2(os.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(os.Stdout)
			case "fish":
				return root.GenFishCompletion(os.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(os.Stdout)
			}
			if len(args) == 0 {
				return wrongArguments(c, "want bash, zsh, fish or powershell")
			}
			return wrongArguments(c, "want bash, zsh, fish or powershell, not %s", quoted(args))
		},
	}
}

// completeWith completes the value of a flag. Complete gets the typed part of it.
func completeWith(c *cobra.Command, flag string, complete func(typed string) ([]string, cobra.ShellCompDirective)) {
	err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		found, does := complete(typed)
		return drawable(found), does
	})
	if err != nil {
		panic(err) // there is no such flag
	}
}

// drawable removes words with control characters, which a shell would show and a terminal obey.
func drawable(found []string) []string {
	return slices.DeleteFunc(found, func(word string) bool { return terminal.Line(word) != word })
}

// unquoteUsage removes the quotes around the names of values from the usage of flags, because
// completions show it as it is.
func unquoteUsage(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	for _, sub := range c.Commands() {
		unquoteUsage(sub)
	}
}

// completeWords completes the value of a flag with these words.
func completeWords(c *cobra.Command, flag string, words ...string) {
	completeWith(c, flag, func(string) ([]string, cobra.ShellCompDirective) { return slices.Clone(words), noFiles })
}

// completeNothing keeps a shell from completing the values of flags with names of files.
func completeNothing(c *cobra.Command, flags ...string) {
	for _, flag := range flags {
		completeWords(c, flag)
	}
}

// completeSetting completes KEY=VALUE: first the key, then its values.
func completeSetting(typed string) ([]string, cobra.ShellCompDirective) {
	keys := config.Keys()
	if key, _, ok := strings.Cut(typed, "="); ok {
		var values []string
		for _, value := range keys[key] {
			values = append(values, key+"="+value)
		}
		return values, noFiles
	}
	var begun []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if strings.HasPrefix(key, typed) {
			begun = append(begun, key+"=")
		}
	}
	return begun, noFiles | cobra.ShellCompDirectiveNoSpace
}

// agentNames returns the agents of the configuration and of the registry. It returns none if the
// configuration is wrong.
func agentNames(f flags) []string {
	c, err := f.load()
	if err != nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(c.Agents))
	if r, err := registry.Load(c.Registry.File); err == nil {
		for _, id := range r.IDs() {
			names = append(names, registryPrefix+id)
		}
	}
	return names
}
