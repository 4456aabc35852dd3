package main

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/setup/config"
	"acpshim/internal/setup/registry"
)

// registryPrefix begins the name of an agent of the registry.
const registryPrefix = "registry:"

// registered returns an agent of the registry, with args after its own. The error is an exit.
func registered(c config.Config, id string, args []string) (config.Agent, error) {
	r, err := registry.Load(c.Registry.File)
	if err != nil {
		return config.Agent{}, &exit{exitConfig, fmt.Errorf("--start: %w", err),
			"acpshim downloads nothing: save " + registry.URL + ", and set registry.file to its path"}
	}
	command, env, err := r.Command(id)
	if err != nil {
		return config.Agent{}, &exit{exitUsage, fmt.Errorf("--start: %w", err), ""}
	}
	return config.Agent{Command: append(command, args...), Env: env}, nil
}

// lookup returns the command of an agent of the user's registry, for wrap. ok is false if there is
// no such command. It notes why, if the registry has the agent.
func lookup(id string) (command []string, ok bool) {
	c, err := flags{}.load()
	if err != nil {
		note(err.Error())
		return nil, false
	}
	r, err := registry.Load(c.Registry.File)
	if err != nil && c.Registry.File != "" {
		note(err.Error())
	}
	if !slices.Contains(r.IDs(), id) {
		return nil, false
	}
	command, env, err := r.Command(id)
	if err != nil {
		note(err.Error())
	}
	if len(env) > 0 {
		note("the registry runs it with " + strings.Join(environ(config.Agent{Env: env}), " ") + ": add that to env of the entry")
	}
	return command, err == nil
}
