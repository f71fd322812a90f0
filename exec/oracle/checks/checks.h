/* Every check, one file each; check.c lists them. */
#ifndef EXEC_ORACLE_CHECKS_CHECKS_H
#define EXEC_ORACLE_CHECKS_CHECKS_H

#include "exec/oracle/roundtrip.h"

/* Deadlines and streams. */
extern const struct check check_output_before_timeout_lost, check_streams_merged, check_deadline_leaves_tree, check_deadline_wrong;

extern const struct check check_base64_layer, check_binary_as_text, check_chunk_splits_character,
    check_nul_in_content, check_nul_in_argument, check_newline_altered, check_last_lines, check_shell_escape,
    check_bad_frame_fatal, check_request_unanswered, check_big_frame_fatal, check_stdout_polluted,
    check_one_call_breaks_rest, check_silent_success, check_exit_status_lost, check_last_output_lost,
    check_silently_cut, check_background_holds_call, check_orphan_left, check_zombies_pile_up,
    check_stdin_hang, check_roots_differ, check_listing_wrong, check_name_normalised,
    check_special_file_starves, check_metadata_lost, check_root_escape, check_stale_content,
    check_full_disk_damage, check_lost_update, check_failure_unexplained, check_mcp_01, check_mcp_04,
    check_target_died, check_stdin_inherited, check_null_not_absent, check_fault_as_output, check_stream_pages_mixed,
    check_line_without_end, check_wrong_error_id, check_duplicate_id_crossed, check_peer_death_unnoticed, check_cancel_ignored,
    check_session_errors_alike, check_mcp_14, check_cut_splits_character, check_lone_surrogate, check_argument_text_lost,
    check_locale_decoding, check_number_precision, check_symlink_mishandled, check_name_as_option, check_owner_mismatch,
    check_litter_left, check_state_lost, check_mount_missing, check_traversal_unbounded, check_legacy_charset, check_damaged_store_fatal,
    check_phantom_running, check_interrupt_ineffective, check_background_killed, check_state_between_calls,
    check_quoting_breaks_wrapper, check_terminal_line_limit, check_prompt_fooled, check_long_argument;

extern const struct check check_descriptor_leak, check_memory_limit_hidden, check_memory_grows,
    check_task_limit_breaks_start, check_cpu_count_mismatch, check_shared_memory_unusable,
    check_syscall_refused, check_system_files_missing, check_egress_differs, check_port_unreachable,
    check_clock_wrong, check_shared_randomness, check_secret_in_environment, check_idle_timer_wrong,
    check_fresh_sandbox_silent, check_created_not_usable, check_dead_tab, check_tab_flood,
    check_dialog_blocks, check_download_lost, check_screenshot_wrong, check_page_never_loaded,
    check_profile_locked, check_upload_breaks_page, check_tab_switch_lost, check_glyphs_missing,
    check_converter_silent;

#endif
