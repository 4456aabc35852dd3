package config

import "hash/crc32"

// Default returns the configuration that source, the shipped config.toml, gives. It panics
// if that is wrong or leaves a key out.
//
// A source that has not changed since shipped was generated is not read: that would take
// longer than all else that acpshim does before it starts an agent.
func Default(source string) Config {
	if crc32.ChecksumIEEE([]byte(source)) == shippedSum {
		return placed(shipped())
	}
	return parseDefault(source)
}

// parseDefault is Default, reading the source.
func parseDefault(source string) Config {
	c, err := Parse(Config{}, defaultName, source)
	if err != nil {
		panic("config: " + err.Error())
	}
	for _, k := range c.keys() {
		if _, ok := c.from[k.path]; k.set != nil && !ok {
			panic("config: the default has no key " + k.path)
		}
	}
	return c
}

// defaultName is what the shipped source is called where a value is from.
const defaultName = "default"

// placed returns c with all that it has placed in the default, which has no lines.
func placed(c Config) Config {
	at := Place{File: defaultName, layer: 1}
	c.layers, c.from = at.layer, map[string]Place{}
	for _, k := range c.keys() {
		if k.set != nil {
			c.from[k.path] = at
		}
	}
	for _, t := range c.Plan.Tool {
		path, _, _ := t.id()
		c.from[path] = at
	}
	for i := range c.Profiles {
		p := &c.Profiles[i]
		p.at = at
		for j := range p.settings {
			p.settings[j].at = at
		}
	}
	for i := range c.Rules {
		c.Rules[i].at = at
		c.from[rulePath(c.Rules[i].Name)] = at
	}
	return c
}
