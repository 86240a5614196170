internal import CCairo

/// Sets text with Pango: in any script that an installed font has, in both directions.
///
/// It belongs to the thread that made it, as Pango's table of fonts does.
final class Typesetter {
    private let functions: ccairo_functions
    private let context: OpaquePointer
    private let families: String
    /// How many characters no font had so far.
    private(set) var missingGlyphs = 0

    /// - Parameters:
    ///   - functions: of the loaded library.
    ///   - locale: decides the direction, and which forms of Chinese characters are taken.
    ///   - families: the fonts to look in first.
    ///   - isForDots: whether outlines are fitted to pixels.
    init(_ functions: ccairo_functions, locale: ReceiptLocale, families: String, isForDots: Bool) {
        (self.functions, self.families) = (functions, families)
        context = functions.pango_font_map_create_context(functions.pango_cairo_font_map_get_default())
        // PANGO_DIRECTION_LTR is 0, PANGO_DIRECTION_RTL 1.
        functions.pango_context_set_base_dir(context, locale.isRightToLeft ? 1 : 0)
        functions.pango_context_set_language(context, functions.pango_language_from_string(locale.code))
        let options = functions.cairo_font_options_create()
        // CAIRO_HINT_STYLE_NONE is 1, CAIRO_HINT_STYLE_FULL 4; CAIRO_HINT_METRICS_OFF is 1.
        functions.cairo_font_options_set_hint_style(options, isForDots ? 4 : 1)
        functions.cairo_font_options_set_hint_metrics(options, 1)
        functions.pango_cairo_context_set_font_options(context, options)
        functions.cairo_font_options_destroy(options)
    }

    deinit { functions.g_object_unref(UnsafeMutableRawPointer(context)) }

    /// Where the lines of a text stand in its width.
    enum Alignment: Int32 {
        case left, center, right
    }

    /// Sets a text.
    ///
    /// - Parameters:
    ///   - text: without control characters.
    ///   - size: of the font, in units of the surface.
    ///   - isStrong: whether in bold letters.
    ///   - width: at which lines are broken; nil for one line.
    ///   - alignment: of the lines in the width.
    /// - Returns: what can be measured and drawn.
    func set(
        _ text: String, size: Double, isStrong: Bool = false, width: Double? = nil, alignment: Alignment = .left
    ) -> SetText {
        let layout = functions.pango_layout_new(context)
        let font = functions.pango_font_description_new()
        functions.pango_font_description_set_family(font, families)
        functions.pango_font_description_set_weight(font, isStrong ? 700 : 400)
        functions.pango_font_description_set_absolute_size(font, size * SetText.scale)
        functions.pango_layout_set_font_description(layout, font)
        functions.pango_font_description_free(font)
        // The direction is the locale's, whatever character comes first; alignments are then those of the paper.
        functions.pango_layout_set_auto_dir(layout, 0)
        functions.pango_layout_set_alignment(layout, alignment.rawValue)
        if let width {
            functions.pango_layout_set_width(layout, Int32(max(1, width) * SetText.scale))
            // PANGO_WRAP_WORD_CHAR
            functions.pango_layout_set_wrap(layout, 2)
        }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return }
                functions.pango_layout_set_text(layout, start, Int32(clamping: characters.count))
            }
        }
        missingGlyphs += Int(functions.pango_layout_get_unknown_glyphs_count(layout))
        return SetText(layout, functions)
    }
}
