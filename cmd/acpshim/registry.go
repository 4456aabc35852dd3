package main

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/config"
	"acpshim/internal/registry"
)

// registryPrefix is what the name of an agent of the registry begins with.
const registryPrefix = "registry:"

// registered returns an agent of the registry, with args behind its own. The error is an exit.
func registered(c config.Config, id string, args []string) (config.Agent, error) {
	r, err := registry.Load(c.Registry.File)
	if err != nil {
		return config.Agent{}, &exit{exitConfig, fmt.Errorf("--start: %w", err),
			"acpshim downloads nothing: save " + registry.URL + " and let registry.file name it"}
	}
	command, env, err := r.Command(id)
	if err != nil {
		return config.Agent{}, &exit{exitUsage, fmt.Errorf("--start: %w", err), ""}
	}
	return config.Agent{Command: append(command, args...), Env: env}, nil
}

// lookup returns the command of an agent of the registry that the user has, for wrap; ok is false
// if it has none that can be run. It notes why, if it has that agent.
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
