package config

// Default returns the configuration of config.toml and shipped.toml. It reads neither: that would
// take longer than all else before an agent starts, so shipped.go has them as Go.
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
