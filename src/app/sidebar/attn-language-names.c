/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-language-names.h"

#include <glib/gi18n.h>

/* The languages of Whisper's checkpoints, with the codes that the checkpoints use. The names are
 * those of ISO 639, as the published tokenizer spells them where both differ. */
static const struct
{
  const char *code;
  const char *name;
} languages[] = {
  { "af", "Afrikaans" },
  { "am", "Amharic" },
  { "ar", "Arabic" },
  { "as", "Assamese" },
  { "az", "Azerbaijani" },
  { "ba", "Bashkir" },
  { "be", "Belarusian" },
  { "bg", "Bulgarian" },
  { "bn", "Bengali" },
  { "bo", "Tibetan" },
  { "br", "Breton" },
  { "bs", "Bosnian" },
  { "ca", "Catalan" },
  { "cs", "Czech" },
  { "cy", "Welsh" },
  { "da", "Danish" },
  { "de", "German" },
  { "el", "Greek" },
  { "en", "English" },
  { "es", "Spanish" },
  { "et", "Estonian" },
  { "eu", "Basque" },
  { "fa", "Persian" },
  { "fi", "Finnish" },
  { "fo", "Faroese" },
  { "fr", "French" },
  { "gl", "Galician" },
  { "gu", "Gujarati" },
  { "ha", "Hausa" },
  { "haw", "Hawaiian" },
  { "he", "Hebrew" },
  { "hi", "Hindi" },
  { "hr", "Croatian" },
  { "ht", "Haitian Creole" },
  { "hu", "Hungarian" },
  { "hy", "Armenian" },
  { "id", "Indonesian" },
  { "is", "Icelandic" },
  { "it", "Italian" },
  { "ja", "Japanese" },
  { "jw", "Javanese" },
  { "ka", "Georgian" },
  { "kk", "Kazakh" },
  { "km", "Khmer" },
  { "kn", "Kannada" },
  { "ko", "Korean" },
  { "la", "Latin" },
  { "lb", "Luxembourgish" },
  { "ln", "Lingala" },
  { "lo", "Lao" },
  { "lt", "Lithuanian" },
  { "lv", "Latvian" },
  { "mg", "Malagasy" },
  { "mi", "Maori" },
  { "mk", "Macedonian" },
  { "ml", "Malayalam" },
  { "mn", "Mongolian" },
  { "mr", "Marathi" },
  { "ms", "Malay" },
  { "mt", "Maltese" },
  { "my", "Burmese" },
  { "ne", "Nepali" },
  { "nl", "Dutch" },
  { "nn", "Norwegian Nynorsk" },
  { "no", "Norwegian" },
  { "oc", "Occitan" },
  { "pa", "Punjabi" },
  { "pl", "Polish" },
  { "ps", "Pashto" },
  { "pt", "Portuguese" },
  { "ro", "Romanian" },
  { "ru", "Russian" },
  { "sa", "Sanskrit" },
  { "sd", "Sindhi" },
  { "si", "Sinhala" },
  { "sk", "Slovak" },
  { "sl", "Slovenian" },
  { "sn", "Shona" },
  { "so", "Somali" },
  { "sq", "Albanian" },
  { "sr", "Serbian" },
  { "su", "Sundanese" },
  { "sv", "Swedish" },
  { "sw", "Swahili" },
  { "ta", "Tamil" },
  { "te", "Telugu" },
  { "tg", "Tajik" },
  { "th", "Thai" },
  { "tk", "Turkmen" },
  { "tl", "Tagalog" },
  { "tr", "Turkish" },
  { "tt", "Tatar" },
  { "uk", "Ukrainian" },
  { "ur", "Urdu" },
  { "uz", "Uzbek" },
  { "vi", "Vietnamese" },
  { "yi", "Yiddish" },
  { "yo", "Yoruba" },
  { "yue", "Cantonese" },
  { "zh", "Chinese" },
};

/* Translates a name by the message catalogues of the package iso-codes, if it is installed. */
static const char *
translate (const char *name)
{
  static const char * const domains[] = { "iso_639-3", "iso_639-2" };

  for (gsize i = 0; i < G_N_ELEMENTS (domains); i++)
    {
      bind_textdomain_codeset (domains[i], "UTF-8");
      const char *translated = g_dgettext (domains[i], name);

      if (translated != name)
        return translated;
    }
  return name;
}

/**
 * attn_language_names_dup_title:
 * @code: code of a language in a checkpoint of a speech model, such as "de"
 *
 * Returns: (transfer full): the name of the language in the user's language, with the code, such as
 *   "German (de)"; the code alone if its name is not known
 */
char *
attn_language_names_dup_title (const char *code)
{
  for (gsize i = 0; i < G_N_ELEMENTS (languages); i++)
    if (g_str_equal (languages[i].code, code))
      return g_strdup_printf ("%s (%s)", translate (languages[i].name), code);
  return g_strdup (code);
}
