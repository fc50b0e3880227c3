# LemonLDAP::NG, a single sign-on server in Perl: with its own pages, sessions in files, its demonstration users, and one
# public client that requires PKCE.
#
# starman runs this file. The environment contains FOLDER, PORT, CLIENT_ID, REDIRECT_URI, and LEMONLDAP (the folder usr of
# the packages). The demonstration users' passwords are their names.

use strict;
use warnings;

use Crypt::OpenSSL::RSA;
use Lemonldap::NG::Portal::Main;

# The portal loads a module for captchas at its start. The usual one requires ImageMagick.
{
    package NoCaptcha;
    use Mouse;
    extends 'Lemonldap::NG::Common::Module';
    sub init { return 1 }
    $INC{'NoCaptcha.pm'} = __FILE__;
}

my ( $folder, $port, $client, $redirect, $packages ) = @ENV{qw(FOLDER PORT CLIENT_ID REDIRECT_URI LEMONLDAP)};
my $issuer = "http://localhost:$port";
my $sessions = {
    Directory      => "$folder/sessions",
    LockDirectory  => "$folder/sessions",
    generateModule => 'Lemonldap::NG::Common::Apache::Session::Generate::SHA256',
};

# The server requires a stored configuration. The settings below replace its members.
mkdir "$folder/$_" for qw(configuration sessions);
open my $file, '>', "$folder/configuration/lmConf-1.json" or die "no configuration: $!";
print $file '{"cfgNum": 1, "cfgDate": 1, "locationRules": {}, "exportedHeaders": {}, "exportedVars": {"cn": "cn", "mail": "mail"}}';
close $file;
my $key = Crypt::OpenSSL::RSA->generate_key(2048);

Lemonldap::NG::Portal::Main->run(
    {
        configStorage            => { type => 'File', dirName => "$folder/configuration" },
        globalStorage            => 'Apache::Session::File',
        globalStorageOptions     => $sessions,
        persistentStorage        => 'Apache::Session::File',
        persistentStorageOptions => $sessions,
        localSessionStorage      => '',
        logger                   => 'Lemonldap::NG::Common::Logger::Std',
        logLevel                 => 'info',
        templateDir              => "$packages/share/lemonldap-ng/portal/templates",
        staticPrefix             => '/static',
        languages                => 'en',
        captcha                  => 'NoCaptcha',

        domain         => 'localhost',
        portal         => "$issuer/",
        securedCookie  => 0,
        authentication => 'Demo',
        userDB         => 'Same',

        issuerDBOpenIDConnectActivation => 1,
        oidcServiceMetaDataIssuer       => $issuer,
        oidcServicePrivateKeySig        => $key->get_private_key_string,
        oidcServicePublicKeySig         => $key->get_public_key_x509_string,
        oidcServiceKeyIdSig             => 'key-1',
        oidcRPMetaDataOptions           => {
            client => {
                oidcRPMetaDataOptionsClientID           => $client,
                oidcRPMetaDataOptionsDisplayName        => $client,
                oidcRPMetaDataOptionsPublic             => 1,
                oidcRPMetaDataOptionsRequirePKCE        => 1,
                oidcRPMetaDataOptionsRedirectUris       => $redirect,
                oidcRPMetaDataOptionsRefreshToken       => 1,
                oidcRPMetaDataOptionsIDTokenSignAlg     => 'RS256',
            },
        },
        oidcRPMetaDataExportedVars => { client => { name => 'cn', email => 'mail' } },
    }
);
