package config

// Default returns the configuration of config.toml and shipped.toml. It takes it from shipped.go,
// because reading the files would take longer than everything else before an agent starts.
func Default() Config {
	c := shipped()
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

// defaultName is the file name in places of the default.
const defaultName = "default"
