package redact

// stems are what a name has in it that says anything. What has none is ordinary.
const stems = `pass pwd psk secret token key cred auth cookie jwt bearer otp mnemonic phrase verifier env header sessionid session_id session-id bindpw rootpw adminpw userpw
	dbpw _pw sig code sid sas pat identified community connectionstring assertion params`

// nameTable says what names say, by how they end: each of the beginnings with each of the ends,
// in lower case without "_", "-" and dots. A name is of the class of the longest that fits; "^"
// stands for its beginning, "=" for a value.
var nameTable = []struct {
	class             class
	beginnings, names string
}{
	{sessionID, "", "sessionid sessionids"},
	{environment, "", "env ^environment ^envvar ^envvars ^envvariable ^envvariables ^environmentvar ^environmentvars ^environmentvariable ^environmentvariables"},
	{headers, "", "headers ^httpheader"},
	{header, "^ ^x ^proxy ^xproxy ^forwarded ^xforwarded ^amz ^xamz", "authorization"},
	{header, "^ ^set", "cookie"},
	{header, "^ ^xor ^request ^response", "cookieheader cookiesheader"},
	{strong, "", `password passwords passwort passwd passphrase passcode passwordhash secret secrets secretstr secretstring credential credentials dbcred dbcreds userpwd
		codeverifier mnemonic seedphrase recoveryphrase clientassertion snmpcommunity masterauth token cookie cookies authorization authdata httpbasic proxyauth basicauth
		accesskeyid secretaccesskey sharedaccesssignature clientkeydata secretkeybase`},
	{strong, `user usr db database my pg mysql redis mongo ssh smtp mail email ftp admin root store trust key require login wifi ldap bind proxy http basic ansible become sudo
		conn`, "pass pwd psk pw"},
	{strong, "access refresh auth api bearer id session user personal", "tokens"},
	{strong, `api access secret private auth proxy signing encryption decryption master license licence account subscription shared sharedaccess storage service deploy consumer
		application webhook hmac admin preshared pre registration integration ingest write session jwt aes rsa ssh hostprivate wireguard node join clientkey enrollment otp`, "key keys"},
	// Words that texts use, too.
	{prose, "^", "token secret secrets cookies credential credentials passwords mnemonic"},
	{keyed, "^", "sessionkey prekey servicekey accountkey applicationkey nodekey writekey"},
	{likely, "", "tokens"},
	{ordinary, "^", "tokens"},
	{proseText, "^", "pass pwd pw psk auth otp totp jwt pat bearer cred creds"},
	{query, "^", `key sig signature code sid sas assertion xamzsignature xgoogsignature xamzcredential xosssignature signaturekey`},
	// Tokens that are counted, passed around for progress, or words of a language.
	{ordinary, `progress per first last cancel cancellation eos bos pad unk sep cls mask stop special next prev page continuation continue sync resume max min total num new used
		input output cached cache read thought reasoning completion prompt context text image audio current syntax lexer operator keyword`, "token tokens"},
	{ordinary, "public primary foreign unique sort partition cache hash row map object composite natural surrogate", "key"},
	// What only tells about a secret.
	{ordinary, "", `userauthorization count counts counter limit limits budget usage used total type types kind url urls uri uris endpoint host port expires expiresin
		expiresat expiry expiration expired maxage age ttl name names file files filename path paths dir folder location length len size field fields header policy rule
		rules hint placeholder label prompt title description required enabled disabled valid invalid missing less ed er ers ing ize izer tokenization manager store
		storage service server servers scheme method methods mode state status error errors page form input box reset change changed strength regex pattern format version
		index position offset start end range ratio rate cost costs price id ids of or is the supported support needed flow config option options settings callback
		handler provider providers func function board word words binding bindings map maps ring press down up code point stone note frame frames over holder level source
		algorithm alg author authors authored authority authenticate authenticated aged ages ion book by through thru ive ively able engers enger`},
	// Values that are types or words of languages.
	{plain, "=", `string str text byte bytes int integer number bool boolean object any unknown none null nil undefined true false yes no on off required optional missing invalid
		incorrect wrong empty expired enabled disabled default auto basic bearer digest hash secretstr option self this auth oauth oauth2 jwt value values user username email password
		passwd secret token key cookie is was and or the a an to for of in not as by with from if must should can cannot will may prompt prompts authentication authorization protected
		description note notes type name flag argument parameter field header variable file path that which here below above has env stdin hidden masked filtered removed unsupported
		supported`},
}

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
