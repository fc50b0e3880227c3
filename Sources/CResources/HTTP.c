// Embeds the files in Sources/SallyportHTTP/Resources.
#include "Table.h"

static const unsigned char Languages_ar_json[] = {
#embed "../SallyportHTTP/Resources/Languages/ar.json"
};

static const unsigned char Languages_de_json[] = {
#embed "../SallyportHTTP/Resources/Languages/de.json"
};

static const unsigned char Languages_es_json[] = {
#embed "../SallyportHTTP/Resources/Languages/es.json"
};

static const unsigned char Languages_fr_json[] = {
#embed "../SallyportHTTP/Resources/Languages/fr.json"
};

static const unsigned char Languages_ja_json[] = {
#embed "../SallyportHTTP/Resources/Languages/ja.json"
};

static const unsigned char Languages_pt_json[] = {
#embed "../SallyportHTTP/Resources/Languages/pt.json"
};

static const unsigned char Languages_zh_Hans_json[] = {
#embed "../SallyportHTTP/Resources/Languages/zh-Hans.json"
};

static const unsigned char Languages_en_json[] = {
#embed "../SallyportHTTP/Resources/Languages/en.json"
};

static const unsigned char account_chooser_mustache[] = {
#embed "../SallyportHTTP/Resources/account-chooser.mustache"
};

static const unsigned char account_deletion_mustache[] = {
#embed "../SallyportHTTP/Resources/account-deletion.mustache"
};

static const unsigned char account_link_mustache[] = {
#embed "../SallyportHTTP/Resources/account-link.mustache"
};

static const unsigned char account_mustache[] = {
#embed "../SallyportHTTP/Resources/account.mustache"
};

static const unsigned char app_facts_mustache[] = {
#embed "../SallyportHTTP/Resources/app-facts.mustache"
};

static const unsigned char authenticator_app_mustache[] = {
#embed "../SallyportHTTP/Resources/authenticator-app.mustache"
};

static const unsigned char change_password_mustache[] = {
#embed "../SallyportHTTP/Resources/change-password.mustache"
};

static const unsigned char consent_mustache[] = {
#embed "../SallyportHTTP/Resources/consent.mustache"
};

static const unsigned char device_mustache[] = {
#embed "../SallyportHTTP/Resources/device.mustache"
};

static const unsigned char error_mustache[] = {
#embed "../SallyportHTTP/Resources/error.mustache"
};

static const unsigned char forgot_password_mustache[] = {
#embed "../SallyportHTTP/Resources/forgot-password.mustache"
};

static const unsigned char form_post_mustache[] = {
#embed "../SallyportHTTP/Resources/form-post.mustache"
};

static const unsigned char home_mustache[] = {
#embed "../SallyportHTTP/Resources/home.mustache"
};

static const unsigned char layout_mustache[] = {
#embed "../SallyportHTTP/Resources/layout.mustache"
};

static const unsigned char new_account_mustache[] = {
#embed "../SallyportHTTP/Resources/new-account.mustache"
};

static const unsigned char passkey_js[] = {
#embed "../SallyportHTTP/Resources/passkey.js"
};

static const unsigned char passkey_mustache[] = {
#embed "../SallyportHTTP/Resources/passkey.mustache"
};

static const unsigned char recovery_codes_mustache[] = {
#embed "../SallyportHTTP/Resources/recovery-codes.mustache"
};

static const unsigned char resources_mustache[] = {
#embed "../SallyportHTTP/Resources/resources.mustache"
};

static const unsigned char scopes_mustache[] = {
#embed "../SallyportHTTP/Resources/scopes.mustache"
};

static const unsigned char second_factor_mustache[] = {
#embed "../SallyportHTTP/Resources/second-factor.mustache"
};

static const unsigned char sign_in_mustache[] = {
#embed "../SallyportHTTP/Resources/sign-in.mustache"
};

static const unsigned char sign_out_mustache[] = {
#embed "../SallyportHTTP/Resources/sign-out.mustache"
};

static const unsigned char sign_up_mustache[] = {
#embed "../SallyportHTTP/Resources/sign-up.mustache"
};

static const unsigned char signed_out_mustache[] = {
#embed "../SallyportHTTP/Resources/signed-out.mustache"
};

static const unsigned char style_css[] = {
#embed "../SallyportHTTP/Resources/style.css"
};

static const unsigned char submit_once_js[] = {
#embed "../SallyportHTTP/Resources/submit-once.js"
};

static const unsigned char web_view_mustache[] = {
#embed "../SallyportHTTP/Resources/web-view.mustache"
};

static const Entry files[] = {
    ENTRY("Languages/ar.json", Languages_ar_json),
    ENTRY("Languages/de.json", Languages_de_json),
    ENTRY("Languages/es.json", Languages_es_json),
    ENTRY("Languages/fr.json", Languages_fr_json),
    ENTRY("Languages/ja.json", Languages_ja_json),
    ENTRY("Languages/pt.json", Languages_pt_json),
    ENTRY("Languages/zh-Hans.json", Languages_zh_Hans_json),
    ENTRY("Languages/en.json", Languages_en_json),
    ENTRY("account-chooser.mustache", account_chooser_mustache),
    ENTRY("account-deletion.mustache", account_deletion_mustache),
    ENTRY("account-link.mustache", account_link_mustache),
    ENTRY("account.mustache", account_mustache),
    ENTRY("app-facts.mustache", app_facts_mustache),
    ENTRY("authenticator-app.mustache", authenticator_app_mustache),
    ENTRY("change-password.mustache", change_password_mustache),
    ENTRY("consent.mustache", consent_mustache),
    ENTRY("device.mustache", device_mustache),
    ENTRY("error.mustache", error_mustache),
    ENTRY("forgot-password.mustache", forgot_password_mustache),
    ENTRY("form-post.mustache", form_post_mustache),
    ENTRY("home.mustache", home_mustache),
    ENTRY("layout.mustache", layout_mustache),
    ENTRY("new-account.mustache", new_account_mustache),
    ENTRY("passkey.js", passkey_js),
    ENTRY("passkey.mustache", passkey_mustache),
    ENTRY("recovery-codes.mustache", recovery_codes_mustache),
    ENTRY("resources.mustache", resources_mustache),
    ENTRY("scopes.mustache", scopes_mustache),
    ENTRY("second-factor.mustache", second_factor_mustache),
    ENTRY("sign-in.mustache", sign_in_mustache),
    ENTRY("sign-out.mustache", sign_out_mustache),
    ENTRY("sign-up.mustache", sign_up_mustache),
    ENTRY("signed-out.mustache", signed_out_mustache),
    ENTRY("style.css", style_css),
    ENTRY("submit-once.js", submit_once_js),
    ENTRY("web-view.mustache", web_view_mustache),
};

EmbeddedFile sallyport_http_file(const char *path) { FIND(files, path); }
