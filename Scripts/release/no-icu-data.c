// ICU's table of data with no entries, for the release program.
//
// GRDB needs Foundation, and Foundation the library ICU with 34 MB of data about languages, calendars, and time zones.
// The program uses none of it: its receipts have words, dates, and time zones of their own. Scripts/build-release gives
// the linker this table in place of the data. ICU then reports U_MISSING_RESOURCE_ERROR to its callers.
#include <stdint.h>

_Alignas(16) const struct {
    // The header of a file of data (ICU, udata.h: UDataInfo).
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t info_size, reserved_word;
    uint8_t is_big_endian, charset_family, char_size, reserved_byte;
    uint8_t data_format[4], format_version[4], data_version[4];
    uint8_t padding[8];
    // The table of contents (ICU, ucmndata.h: UDataOffsetTOC).
    uint32_t count;
} cardpresent_no_icu_data = {
    .header_size = 32,
    .magic = {0xDA, 0x27},
    .info_size = 20,
    .char_size = 2,
    .data_format = {'T', 'o', 'C', 'P'},
    .format_version = {1, 0, 0, 0},
};
