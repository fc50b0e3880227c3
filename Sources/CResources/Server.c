// The files in Sources/SallyportServer/Resources.
#include "Table.h"

static const unsigned char Mail_en_email_verification_en_txt[] = {
#embed "../SallyportServer/Resources/Mail/en/email-verification.en.txt"
};

static const unsigned char Mail_en_invitation_en_txt[] = {
#embed "../SallyportServer/Resources/Mail/en/invitation.en.txt"
};

static const unsigned char Mail_en_notification_en_txt[] = {
#embed "../SallyportServer/Resources/Mail/en/notification.en.txt"
};

static const unsigned char Mail_en_password_reset_en_txt[] = {
#embed "../SallyportServer/Resources/Mail/en/password-reset.en.txt"
};

static const unsigned char Mail_en_phrases_en_txt[] = {
#embed "../SallyportServer/Resources/Mail/en/phrases.en.txt"
};

static const unsigned char common_words_txt[] = {
#embed "../SallyportServer/Resources/common-words.txt"
};

static const Entry files[] = {
    ENTRY("Mail/en/email-verification.en.txt", Mail_en_email_verification_en_txt),
    ENTRY("Mail/en/invitation.en.txt", Mail_en_invitation_en_txt),
    ENTRY("Mail/en/notification.en.txt", Mail_en_notification_en_txt),
    ENTRY("Mail/en/password-reset.en.txt", Mail_en_password_reset_en_txt),
    ENTRY("Mail/en/phrases.en.txt", Mail_en_phrases_en_txt),
    ENTRY("common-words.txt", common_words_txt),
};

EmbeddedFile sallyport_server_file(const char *path) { FIND(files, path); }
