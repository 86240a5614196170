// Tests draw with the fonts that fonts.conf names, whatever fonts and font settings the desktop has.
// There is nothing to call: the library sets FONTCONFIG_FILE when the test process is loaded.
