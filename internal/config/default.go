package config

import "hash/crc32"

// Default returns the configuration that source, the shipped config.toml, gives. It panics
// if that is wrong or leaves a key out.
//
// A source that has not changed since shipped was generated is not read: that would take
// longer than all else that acpshim does before it starts an agent.
func Default(source string) Config {
	if checksum(source) == shippedSum {
		return placed(shipped())
	}
	return parseDefault(source)
}

// checksum is crc32.ChecksumIEEE, without a copy of the source.
func checksum(source string) (sum uint32) {
	for b := make([]byte, 1<<10); source != ""; {
		n := copy(b, source)
		sum, source = crc32.Update(sum, crc32.IEEETable, b[:n]), source[n:]
	}
	return sum
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
	c.from = nil
	return c
}

// defaultName is what the shipped source is called where a value is from.
const defaultName = "default"

// placed returns c with its rows placed in the default, which has no lines.
func placed(c Config) Config {
	c.layers = inDefault().layer
	for i := range c.Profiles {
		p := &c.Profiles[i]
		p.at = inDefault()
		for j := range p.settings {
			p.settings[j].at = inDefault()
		}
	}
	for i := range c.Rules {
		c.Rules[i].at = inDefault()
	}
	return c
}
