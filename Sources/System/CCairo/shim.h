#pragma once

#include <dlfcn.h>
#include <stddef.h>

// What is drawn with of cairo 1.16 and Pango 1.50 (cairo.h, cairo-pdf.h, pango-layout.h, pangocairo.h). The functions are
// declared here and opened on first use, so that neither the build nor the start of the program needs anything of them.
// libpangocairo depends on the other libraries, so that its handle finds the functions of all of them.

typedef struct ccairo_context ccairo_context;            // cairo_t
typedef struct ccairo_surface ccairo_surface;            // cairo_surface_t
typedef struct ccairo_font_options ccairo_font_options;  // cairo_font_options_t
typedef struct cpango_font_map cpango_font_map;          // PangoFontMap
typedef struct cpango_context cpango_context;            // PangoContext
typedef struct cpango_layout cpango_layout;              // PangoLayout
typedef struct cpango_font cpango_font;                  // PangoFontDescription
typedef struct cpango_language cpango_language;          // PangoLanguage
typedef struct cpango_line cpango_line;                  // PangoLayoutLine

// PangoRectangle
typedef struct {
    int x, y, width, height;
} cpango_rectangle;

// cairo_status_t: 0 is success, 11 a write error, 10 a read error.
typedef int (*ccairo_write)(void *_Nullable closure, const unsigned char *_Nullable data, unsigned int length);
typedef int (*ccairo_read)(void *_Nullable closure, unsigned char *_Nullable data, unsigned int length);

#define CCAIRO_FUNCTIONS(X)                                                                                            \
    X(ccairo_surface *_Nonnull, cairo_pdf_surface_create_for_stream, ccairo_write _Nonnull, void *_Nullable, double,    \
        double)                                                                                                        \
    X(void, cairo_pdf_surface_set_size, ccairo_surface *_Nonnull, double, double)                                      \
    X(void, cairo_pdf_surface_set_metadata, ccairo_surface *_Nonnull, int, const char *_Nonnull)                       \
    X(void, cairo_pdf_surface_set_page_label, ccairo_surface *_Nonnull, const char *_Nonnull)                          \
    X(int, cairo_pdf_surface_add_outline, ccairo_surface *_Nonnull, int, const char *_Nonnull, const char *_Nonnull,    \
        int)                                                                                                           \
    X(ccairo_surface *_Nonnull, cairo_image_surface_create, int, int, int)                                             \
    X(ccairo_surface *_Nonnull, cairo_image_surface_create_from_png_stream, ccairo_read _Nonnull, void *_Nullable)     \
    X(unsigned char *_Nullable, cairo_image_surface_get_data, ccairo_surface *_Nonnull)                                \
    X(int, cairo_image_surface_get_stride, ccairo_surface *_Nonnull)                                                   \
    X(int, cairo_image_surface_get_width, ccairo_surface *_Nonnull)                                                    \
    X(int, cairo_image_surface_get_height, ccairo_surface *_Nonnull)                                                   \
    X(int, cairo_surface_write_to_png_stream, ccairo_surface *_Nonnull, ccairo_write _Nonnull, void *_Nullable)        \
    X(void, cairo_surface_flush, ccairo_surface *_Nonnull)                                                             \
    X(void, cairo_surface_finish, ccairo_surface *_Nonnull)                                                            \
    X(int, cairo_surface_status, ccairo_surface *_Nonnull)                                                             \
    X(void, cairo_surface_destroy, ccairo_surface *_Nonnull)                                                           \
    X(ccairo_context *_Nonnull, cairo_create, ccairo_surface *_Nonnull)                                                \
    X(void, cairo_destroy, ccairo_context *_Nonnull)                                                                   \
    X(int, cairo_status, ccairo_context *_Nonnull)                                                                     \
    X(void, cairo_save, ccairo_context *_Nonnull)                                                                      \
    X(void, cairo_restore, ccairo_context *_Nonnull)                                                                   \
    X(void, cairo_scale, ccairo_context *_Nonnull, double, double)                                                     \
    X(void, cairo_translate, ccairo_context *_Nonnull, double, double)                                                 \
    X(void, cairo_set_source_rgb, ccairo_context *_Nonnull, double, double, double)                                    \
    X(void, cairo_set_source_surface, ccairo_context *_Nonnull, ccairo_surface *_Nonnull, double, double)              \
    X(void, cairo_paint, ccairo_context *_Nonnull)                                                                     \
    X(void, cairo_rectangle, ccairo_context *_Nonnull, double, double, double, double)                                 \
    X(void, cairo_fill, ccairo_context *_Nonnull)                                                                      \
    X(void, cairo_move_to, ccairo_context *_Nonnull, double, double)                                                   \
    X(void, cairo_show_page, ccairo_context *_Nonnull)                                                                 \
    X(ccairo_font_options *_Nonnull, cairo_font_options_create, void)                                                  \
    X(void, cairo_font_options_set_hint_style, ccairo_font_options *_Nonnull, int)                                     \
    X(void, cairo_font_options_set_hint_metrics, ccairo_font_options *_Nonnull, int)                                   \
    X(void, cairo_font_options_destroy, ccairo_font_options *_Nonnull)                                                 \
    X(cpango_font_map *_Nonnull, pango_cairo_font_map_get_default, void)                                               \
    X(void, pango_cairo_context_set_font_options, cpango_context *_Nonnull, const ccairo_font_options *_Nonnull)       \
    X(cpango_font_map *_Nonnull, pango_cairo_font_map_new, void)                                                       \
    X(void, pango_cairo_show_layout_line, ccairo_context *_Nonnull, cpango_line *_Nonnull)                             \
    X(cpango_context *_Nonnull, pango_font_map_create_context, cpango_font_map *_Nonnull)                              \
    X(void, pango_context_set_base_dir, cpango_context *_Nonnull, int)                                                 \
    X(void, pango_context_set_language, cpango_context *_Nonnull, cpango_language *_Nullable)                          \
    X(cpango_language *_Nullable, pango_language_from_string, const char *_Nonnull)                                    \
    X(cpango_layout *_Nonnull, pango_layout_new, cpango_context *_Nonnull)                                             \
    X(void, pango_layout_set_text, cpango_layout *_Nonnull, const char *_Nonnull, int)                                 \
    X(void, pango_layout_set_font_description, cpango_layout *_Nonnull, const cpango_font *_Nonnull)                   \
    X(void, pango_layout_set_width, cpango_layout *_Nonnull, int)                                                      \
    X(void, pango_layout_set_wrap, cpango_layout *_Nonnull, int)                                                       \
    X(void, pango_layout_set_auto_dir, cpango_layout *_Nonnull, int)                                                   \
    X(int, pango_layout_get_line_count, cpango_layout *_Nonnull)                                                       \
    X(cpango_line *_Nullable, pango_layout_get_line_readonly, cpango_layout *_Nonnull, int)                            \
    X(void, pango_layout_line_get_extents, cpango_line *_Nonnull, cpango_rectangle *_Nullable,                         \
        cpango_rectangle *_Nullable)                                                                                   \
    X(int, pango_layout_get_unknown_glyphs_count, cpango_layout *_Nonnull)                                             \
    X(cpango_font *_Nonnull, pango_font_description_new, void)                                                         \
    X(void, pango_font_description_set_family, cpango_font *_Nonnull, const char *_Nonnull)                            \
    X(void, pango_font_description_set_weight, cpango_font *_Nonnull, int)                                             \
    X(void, pango_font_description_set_absolute_size, cpango_font *_Nonnull, double)                                   \
    X(void, pango_font_description_free, cpango_font *_Nonnull)                                                        \
    X(void, g_object_unref, void *_Nonnull)

typedef struct {
#define CCAIRO_MEMBER(result, name, ...) result (*name)(__VA_ARGS__);
    CCAIRO_FUNCTIONS(CCAIRO_MEMBER)
#undef CCAIRO_MEMBER
} ccairo_functions;

// Opens the libraries and fills the table. Returns NULL, or what is missing, in words that stay valid until the next call
// of dlerror on this thread.
static inline const char *_Nullable ccairo_load(ccairo_functions *_Nonnull functions) {
    void *library = dlopen("libpangocairo-1.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define CCAIRO_RESOLVE(result, name, ...)                                                                              \
    *(void **)(&functions->name) = dlsym(library, #name);                                                              \
    if (!functions->name) return #name;
    CCAIRO_FUNCTIONS(CCAIRO_RESOLVE)
#undef CCAIRO_RESOLVE
    return NULL;
}
