package redact

// stems are what a name has in it that says anything. What has none is ordinary.
const stems = `pass pwd psk secret token key cred auth cookie jwt bearer otp mnemonic phrase verifier env header sessionid session_id session-id bindpw rootpw adminpw userpw
	dbpw _pw sig code sid sas pat identified community connectionstring assertion params`

// nameEnds may stand behind the name of a secret, before digits.
const nameEnds = `value val base text plain plaintext str string raw hash sha md b prod production dev test staging live old new current confirm confirmation again repeat verify
	data hex pem default primary secondary main backup`

// likelyStems are names of secrets that have words behind them which nobody knows.
const likelyStems = "pwd password passwd passphrase secret token apikey credential privatekey secretkey accesskey cookie"

var (
	switches = lazily(`^(?:0|1|true|false|yes|no|on|off)$`)
	// openNames are variables and headers that hold no secrets, in lower case.
	openNames = lazily(`^(?:.*_)?(?:dir|path|home|env|mode|level|color|shell|editor|pager|debug|verbose|port|version|region|lang|language|locale|tz|term|timeout|enabled|disabled|name|root)$|` +
		`^(?:lang|lc_.*|path|term|colorterm|shell|home|pwd|tz|editor|pager|no_color|force_color|ci|debug|display|tmpdir|temp|tmp|goos|goarch|edition)$|` +
		`^(?:content-(?:type|length|encoding|language)|accept|accept-(?:encoding|language|charset)|user-agent|cache-control|connection|date|host|origin|pragma|vary|anthropic-version|anthropic-beta|x-stainless-.*)$`)
	// plainValues match values that are paths, or are made of words and small numbers.
	plainValues = lazily(`^(?:[/~.\\](?:[A-Za-z0-9]{0,39}[^A-Za-z0-9@\\])*[A-Za-z0-9]{0,39}|(?:(?:[A-Za-z]+|[0-9]+|[A-Za-z0-9]{1,8})(?:[^A-Za-z0-9@\\]+|$)){0,16})$`)
	// qualifiers make a name of a word that texts use.
	qualifiers = lazily(`^(?i:access|refresh|auth|api|client|bearer|bot|session|security|github|gitlab|slack|deploy|personal|admin|service|shared|user)$`)
	// getters are functions with the name of a secret, not the secret, in their brackets.
	getters = lazily(`(?i:^|\.|_)(?i:get|read|fetch|load|find|ask|prompt|input|has|is|check|validate|verify|new|make|create|parse|test|delete|remove|reset|describe|it)[_A-Z]`)
	// placeholders stand where a secret would.
	placeholders = lazily(`^(?:x{3,}|X{3,}|\*+|\.+|-+|_+|…+|•+|\$\{.*|\$\(.*|\$[a-z_]+|\$[A-Z_][A-Z0-9_]*|\{\{.*|%[a-z]|%[A-Z_]+%|<[^<>]*>|\{[a-z_]*\}|(?i:your)[-_ ].*)$`)
)
