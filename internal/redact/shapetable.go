package redact

// shapeTable has vendors, parted by " ; ", and how their tokens begin. What follows "~" is the
// alphabet of the rest and how many characters of it there are at least, so that a token
// that was cut short is one, too: n letters and digits, w these with "_" and "-", d and
// dots, b and "+/=.%:", h hexadecimal, u capitals and digits. "8~x" says
// that at least eight letters and digits stand before x. As the vendors document it.
const shapeTable = `
OpenAI sk-proj-~w16 sk-svcacct-~w16 sk-admin-~w16 sk-None-~w16 sess-~n32 sk-~w20 ; Anthropic sk-ant-~w16 ; OpenRouter sk-or-v1-~h24 ; Langfuse sk-lf-~w16 pk-lf-~w16 ;
GitHub ghp_~n16 gho_~n16 ghu_~n16 ghs_~n16 ghr_~n16 github_pat_~w16 ;
GitLab glpat-~d16 glptt-~w16 gldt-~w16 glrt-~d16 glrtr-~w16 glcbt-~w16 glffct-~w16 glft-~w16 glimt-~w16 glagent-~w16 gloas-~w16 glsoat-~w16 GR1348941~w16 ;
Slack xoxa-~w10 xoxb-~w10 xoxc-~w10 xoxd-~b10 xoxe-~w10 xoxe.~b10 xoxo-~w10 xoxp-~w10 xoxr-~w10 xoxs-~w10 xapp-~w10 hooks.slack.com/~b16 ;
AWS AKIA~u16 ASIA~u16 ABIA~u16 ACCA~u16 A3T~u17 ABSK~b60 bedrock-api-key-~b16 mzn.mws.~w30 ; Google AIza~w30 ya29.~d16 GOCSPX-~w16 1//0~w30 ;
Stripe sk_live_~n10 sk_test_~n10 rk_live_~n10 rk_test_~n10 sk_prod_~n10 rk_prod_~n10 whsec_~b16 ; npm npm_~n30 ; PyPI pypi-~w32 ; Hugging_Face hf_~n24 api_org_~n24 ;
Groq gsk_~n24 ; xAI xai-~n24 ; Perplexity pplx-~n24 ; Replicate r8_~n24 ; Tavily tvly-~w16 ; SendGrid SG.~d32 ; Docker dckr_pat_~w16 dckr_oat_~w16 ;
DigitalOcean dop_v1_~h32 doo_v1_~h32 dor_v1_~h32 ; Linear lin_api_~n16 lin_oauth_~n16 ; Shopify shpat_~h24 shpca_~h24 shppa_~h24 shpss_~h24 shptka_~h24 shpua_~h24 ;
Notion ntn_~n24 secret_~n40 ; age AGE-SECRET-KEY-1~n30 AGE-PLUGIN-~w30 ; Square sq0atp-~w16 sq0csp-~w16 EAAA~w40 ;
Discord discord.com/api/webhooks/~b16 discordapp.com/api/webhooks/~b16 ; Telegram 8~:AA~w30 ; Mailgun key-~h32 pubkey-~h32 ; Mailchimp 32~-us~n1 ;
1Password A3-~w30 ops_eyJ~b60 ; Adobe p8e-~n28 ; Airtable pat~d70 ; Alibaba LTAI~n16 ; JFrog AKCp~n50 cmVmd~n50 ; Atlassian ATATT3~b60 ATCTT3~b60 ;
Bitbucket ATBB~n24 BBDC-~b30 ; Authress authress_~b30 scauth_~b30 ; Azure 3~8Q~~d28 ; Azure_DevOps 52~AZDO~n4 ; ClickHouse 4b1d~n38 ; Clojars CLOJARS_~n40 ;
Cloudflare v1.0-~w60 cfat_~w30 cfut_~w30 ; Contentful CFPAT-~w30 ; Databricks dapi~h32 dkea~h32 ; Defined_Networking dnkey-~w40 ;
Doppler dp.pt.~n30 dp.st.~d30 dp.ct.~n30 dp.sa.~n30 dp.scim.~n30 dp.audit.~n30 ; Duffel duffel_live_~w30 duffel_test_~w30 ; Dynatrace dt0c01.~d40 dt0s01.~d40 dt0s16.~d40 ;
EasyPost EZAK~n40 EZTK~n40 ; Facebook EAACEdEose0cBA~n16 EAAM~n60 EAAC~n60 EAAB~n60 EAAG~n60 ; Flutterwave FLWSECK_TEST-~w12 FLWSECK-~w12 FLWPUBK_TEST-~w20 ;
Fly.io fo1_~w30 fm1r_~b60 fm1a_~b60 fm2_~b60 FlyV1_~b30 ; Frame.io fio-u-~w40 ; Grafana glc_~b30 glsa_~w30 eyJrIjoi~b60 ; Harness pat.~d60 sat.~d60 ;
HashiCorp 14~.atlasv1.~w40 ; Vault hvs.~w24 hvb.~w60 hvr.~w24 ; Heroku HRKU-~w30 ; HubSpot pat-na1-~w30 pat-eu1-~w30 ; Infracost ico-~n30 ;
Intra42 s-s4t2ud-~h40 s-s4t2af-~h40 ; LaunchDarkly sdk-~h8 mob-~h8 ; Lob live_pub_~h30 test_pub_~h30 live_~h35 test_~h35 ; MaxMind 29~_mmk~n0 ;
Mapbox sk.eyJ~d40 pk.eyJ~d40 tk.eyJ~d40 ; Microsoft_Teams webhook.office.com/webhookb2/~b30 ; New_Relic NRAK-~n20 NRJS-~h16 NRII-~w20 NRAA-~n20 NRRA-~n20 ;
Octopus API-~u26 API-~u32 ; OpenShift sha256~~w43 ; Plaid access-sandbox-~w30 access-development-~w30 access-production-~w30 ;
PlanetScale pscale_tkn_~d30 pscale_pw_~d30 pscale_oauth_~d30 ; Postman PMAK-~w40 ; Prefect pnu_~n30 pnb_~n30 ; Pulumi pul-~h30 ; ReadMe rdme_~n50 ; RubyGems rubygems_~h40 ;
Scalingo tk-us-~w40 ; Brevo xkeysib-~w40 xsmtpsib-~w40 ; Sentry sntrys_~b40 sntryu_~h40 sntrya_~h40 ; SettleMint sm_aat_~n16 sm_pat_~n16 sm_sat_~n16 ;
Shippo shippo_live_~h30 shippo_test_~h30 ; Sonar squ_~h30 sqp_~h30 sqa_~h30 ; Sourcegraph sgp_~w40 slk_~h40 ; Typeform tfp_~d40 ; Yandex t1.~d80 AQVN~w35 y0_~w40 YCA~w34 ;
Zuplo zpka_~w30 ; Supabase sbp_~n30 sb_secret_~w16 sbp_v0_~h30 ; Vercel vcp_~n24 vca_~n24 vci_~n24 vck_~n24 vcr_~n24 vercel_blob_rw_~w30 ;
Netlify nfp_~n30 nfc_~n30 nfo_~n30 nfb_~n30 nfu_~n30 ; Render rnd_~n24 ; Neon napi_~n40 ; Pinecone pcsk_~w40 ; LangSmith lsv2_pt_~w30 lsv2_sk_~w30 ls__~h30 ;
Fireworks fw_~n20 ; Together tgp_v1_~w30 ; Cerebras csk-~n40 ; NVIDIA nvapi-~w50 ; Voyage pa-~w40 ; Jina jina_~w40 ; Firecrawl fc-~h30 ; ElevenLabs sk_~h40 ;
E2B e2b_~h30 sk_e2b_~h30 ; Browserbase bb_live_~w20 bb_test_~w20 ; Modal ak-~n22 as-~n22 ; Weights_&_Biases wandb_v1_~w30 ; Apify apify_api_~n30 apify_proxy_~n20 ;
Resend re_~w30 ; Figma figd_~w30 figo_~w30 figu_~w30 figr_~w30 ; ClickUp pk_~w36 ; Trello ATTA~h60 ; Dropbox sl.~w60 ; Snyk snyk_uat.~d30 snyk_sat.~d30 snyk_pat.~d30 ;
Buildkite bkua_~h30 bkpat_~n30 bkaj_~b30 bkct_~n30 ; CircleCI CCIPAT_~w30 CCIPRJ_~w30 ; NuGet oy2~n43 ; crates.io cio~n32 ;
Packagist packagist_uut_~h40 packagist_ort_~h40 packagist_ack_~h40 packagist_acs_~h40 ; JetBrains perm:~b30 perm-~b60 ; PostHog phc_~n30 phx_~n30 phs_~n30 pha_~n30 ;
Honeycomb hcaik_~n30 hcxik_~n30 hcamk_~n30 hcxmk_~n30 hcalk_~n30 hcbik_~n30 ; Axiom xaat-~w30 xapt-~w30 ; Tailscale tskey-~w16 ; Confluent cflt~b60 ;
MongoDB_Atlas mdb_sa_sk_~w30 ; CockroachDB CCDB1_~w40 ; Aiven AVNS_~w16 ; Zapier hooks.zapier.com/hooks/catch/~b12 ; IFTTT maker.ifttt.com/use/~w20 ;
Razorpay rzp_live_~n14 rzp_test_~n14 ; PayPal access_token$production$~b30 access_token$sandbox$~b30 ; Paddle pdl_live_apikey_~w30 pdl_sdbx_apikey_~w30 ;
Checkout.com sk_sbox_~w20 pk_sbox_~w20 ; Xata xau_~n30 ; Infisical st.~d60 ; Contentstack blt~h16 ; WakaTime waka_~w30 ; StackHawk hawk.~d30 ; Scaleway SCW~u17 ;
Tencent AKID~n32 ; Baidu bce-v3/ALTAK-~b30 ; Volcengine AKLT~n30 ; Brave BSA~w27 ; MailerSend mlsn.~h40 ; Statsig secret-~n30 console-~n30 ;
ConfigCat configcat-sdk-1/~b30 configcat-proxy/~b30 ; Deno ddp_~n30 ddo_~n30 ddw_~n30 ; JSR jsrp_~n20 jsr_~n30 ; Val_Town vtwn_~n20 ;
Inngest signkey-prod-~h30 signkey-test-~h30 ; Trigger.dev tr_dev_~n20 tr_prod_~n20 tr_pat_~n20 ; Stytch secret-live-~w30 secret-test-~w30 ;
Ory ory_pat_~n20 ory_at_~w20 ory_st_~w20 ; Liveblocks sk_dev_~w30 sk_prod_~w30 ; Cursor crsr_~h40 key_~h50 ; Factory fk-~w30 ; Copilot tid=~h30 ;
Clerk ak_live_~n30 ak_test_~n30 ; Polar polar_oat_~w30 polar_pat_~w30 ; Cal.com cal_live_~h30 cal_~h30 ; Mercury secret-token:mercury_~w20 ; Zoho 1000.~d60 ;
Twilio SK~h32 AC~h32 ; Thunderstore tss_~n30 ; Rootly rootly_~h40`
